//! Tests of the facts of PHP files.

use crate::Language::Php;
use crate::outline::{check, check_flow};

const TEXT: &str = r##"<?php
/**
 * Sessions of users.
 * @see spec::auth/session
 */
namespace Acme\Auth;

use Acme\Base;
use Acme\{Store as S, Log};
require_once 'helpers.php';

/**
 * A session.
 * @see spec::auth/login
 */
#[Service]
final class Session extends Base implements S, \Countable
{
    use Loggable;
    const LIMIT = 10;
    private ?Repo $repo = null;

    public function __construct(private Repo $other, int $n = 0) { parent::__construct($n); }

    /** Opens. */
    public static function open(string $name): self
    {
        $user = self::find($name);
        $user->save();
        $made = new User($name);
        $made->run(fn($x) => helper($x));
        $this->repo?->close();
        return static::make();
    }
    abstract protected function hidden();
}
function helper(array $a) { return "@see spec::in/string"; }
interface Inner extends A { const X = 1; }
enum Color: string { case Red = 'r'; }
"##;

#[test]
fn declarations() {
    check(
        Php,
        TEXT,
        r##"
        module "Sessions of users.\n@see spec::auth/session"
        in Acme\Auth
        class Session pub exported @Service :17 `final class Session extends Base implements S, \Countable` "A session.\n@see spec::auth/login"
        constant Session.LIMIT pub exported :20 `const LIMIT = 10`
        property Session.repo :21 `private ?Repo $repo = null`
        constructor Session.__construct pub exported :23 `public function __construct(private Repo $other, int $n = 0)`
        method Session.open pub exported static :26 `public static function open(string $name): self` "Opens."
        function Session.open.<arrow1> :31 `fn($x)`
        method Session.hidden protected abstract :35 `abstract protected function hidden()`
        function helper pub exported :37 `function helper(array $a)`
        interface Inner pub exported :38 `interface Inner extends A`
        constant Inner.X pub exported :38 `const X = 1`
        enum Color pub exported :39 `enum Color: string`
        variant Color.Red pub exported :39 `case Red = 'r'`
        use Acme Base
        use Acme Store=S
        use Acme Log
        include helpers.php
        Session extends Base
        Session implements S
        Session implements \Countable
        Session mixin Loggable
        Inner extends A
        see spec::auth/session on module :4
        see spec::auth/login on Session :14
        "##,
    );
}

#[test]
fn calls() {
    check_flow(
        Php,
        TEXT,
        r##"
        param Session.__construct#0 other: Repo
        param Session.__construct#1 n: int
        param Session.open#0 name: string
        param Session.open.<arrow1>#0 x
        param helper#0 a: array
        Session.__construct: #0 super.__construct(%n)
        Session.open: #1 ~self.find(%name)
        Session.open: user = #1
        Session.open: #2 user.save()
        Session.open: #3 new ~User(%name)
        Session.open: made = #3
        Session.open.<arrow1>: #4 ~helper(%x)
        Session.open: #5 made.run(&Session.open.<arrow1>)
        Session.open: #6 this.repo.close()
        Session.open: #7 ~static.make()
        Session.open: return #7
        helper: return "@see spec::in/string"
        "##,
    );
}

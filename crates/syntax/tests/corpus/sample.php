<?php
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
    public static function told(): string
    {
        return <<< EOT
At the margin,
  and not.
EOT
        ;
    }
}
function helper(array $a) { return "@see spec::in/string"; }
interface Inner extends A { const X = 1; }
enum Color: string { case Red = 'r'; }

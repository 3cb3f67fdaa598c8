//! Tests of the facts of Ruby files.

use crate::Language::Ruby;
use crate::outline::{check, check_flow};

const TEXT: &str = r##"# Sessions of users.
# @see spec::auth/session

require 'json'
require_relative './base'

module Acme
  # A session.
  #
  # @see spec::auth/login
  class Session < Base::Thing
    include Comparable
    LIMIT = 10
    attr_reader :name, :age

    # Makes one.
    def initialize(repo, key: nil)
      @repo = repo
    end

    def self.make(n) = new(n)

    def open(name)
      user = @repo.find(name)
      user.save
      helper
      other = Session.new(1)
      other.open { |x| x.run }
      super(name)
    end

    private

    def helper; puts "@see spec::in/string"; end
  end
end
"##;

#[test]
fn declarations() {
    check(
        Ruby,
        TEXT,
        r##"
        module "Sessions of users.\n@see spec::auth/session"
        module Acme pub exported :7 `module Acme`
        class Acme.Session pub exported :11 `class Session < Base::Thing` "A session.\n\n@see spec::auth/login"
        constant Acme.Session.LIMIT pub exported :13 `LIMIT = 10`
        property Acme.Session.name pub exported :14 `attr_reader :name`
        property Acme.Session.age pub exported :14 `attr_reader :age`
        constructor Acme.Session.initialize pub exported :17 `def initialize(repo, key: nil)` "Makes one."
        method Acme.Session.make pub exported static :21 `def self.make(n)`
        method Acme.Session.open pub exported :23 `def open(name)`
        function Acme.Session.open.<block1> :28 `{ |x|`
        method Acme.Session.helper :34 `def helper`
        require json
        require ./base
        Acme.Session extends Base::Thing
        Acme.Session mixin Comparable
        see spec::auth/session on module :2
        see spec::auth/login on Acme.Session :10
        "##,
    );
}

#[test]
fn calls() {
    check_flow(
        Ruby,
        TEXT,
        r##"
        param Acme.Session.initialize#0 repo
        param Acme.Session.initialize#1 key
        param Acme.Session.make#0 n
        param Acme.Session.open#0 name
        param Acme.Session.open.<block1>#0 x
        Acme.Session.initialize: this.@repo = %repo
        Acme.Session.make: #0 new ~new(%n)
        Acme.Session.open: #1 this.@repo.find(%name)
        Acme.Session.open: user = #1
        Acme.Session.open: #2 user.save()
        Acme.Session.open: #3 ~helper()
        Acme.Session.open: #4 new ~Session()
        Acme.Session.open: other = #4
        Acme.Session.open.<block1>: #5 %x.run()
        Acme.Session.open: #6 other.open(&Acme.Session.open.<block1>)
        Acme.Session.open: #7 super(%name)
        Acme.Session.helper: #8 ~puts("@see spec::in/string")
        "##,
    );
}

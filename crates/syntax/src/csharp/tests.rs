//! Tests of the facts of C# files.

use crate::Language::CSharp;
use crate::outline::{check, check_flow};

const TEXT: &str = r##"using System;
using Json = System.Text.Json;
namespace Acme.Auth;

/// <summary>A session.</summary>
/// @see spec::auth/session
[Service, Scoped]
public class Session : Base<User>, IStore
{
    private readonly Repo _repo = new Repo();
    public const int Limit = 10;
    /// <summary>Name.</summary>
    public string Name { get; set; } = "x";
    public event EventHandler Changed;

    public Session(Repo repo) : base(repo) { _repo = repo; }

    [Fact]
    public async Task<User> OpenAsync(string name, int n = 0)
    {
        var user = await _repo.Find<User>(name);
        User other = new User(name);
        other.Save();
        foreach (var item in user.Items) item?.Run(x => Helper(x));
        return this.Make(n: 1);
    }
    protected virtual void Hidden() => Log();
    enum Color { Red, Green }
    interface IInner { void Call(); }
}
"##;

#[test]
fn declarations() {
    check(
        CSharp,
        TEXT,
        r##"
        in Acme.Auth
        class Session pub exported @Service :8 `public class Session : Base<User>, IStore` "<summary>A session.</summary>\n@see spec::auth/session"
        field Session._repo :10 `private readonly Repo _repo = new Repo()`
        field Session.Limit pub exported :11 `public const int Limit = 10`
        property Session.Name pub exported :13 `public string Name` "<summary>Name.</summary>"
        field Session.Changed pub exported :14 `public event EventHandler Changed`
        constructor Session.Session pub exported :16 `public Session(Repo repo) : base(repo)`
        method Session.OpenAsync pub exported test async @Fact :19 `public async Task<User> OpenAsync(string name, int n = 0)`
        function Session.OpenAsync.<lambda1> :24 `x`
        method Session.Hidden protected :27 `protected virtual void Hidden()`
        enum Session.Color :28 `enum Color`
        variant Session.Color.Red pub :28 `Red`
        variant Session.Color.Green pub :28 `Green`
        interface Session.IInner :29 `interface IInner`
        method Session.IInner.Call pub abstract :29 `void Call()`
        import System *
        import System.Text.Json *=Json
        Session extends Base<User>
        Session implements IStore
        see spec::auth/session on Session :6
        "##,
    );
}

#[test]
fn calls() {
    check_flow(
        CSharp,
        TEXT,
        r##"
        param Session.Session#0 repo: Repo
        param Session.OpenAsync#0 name: string
        param Session.OpenAsync#1 n: int
        param Session.OpenAsync.<lambda1>#0 x
        Session._repo: #0 new ~Repo()
        Session.Session: #1 new super(%repo)
        Session.Session: ~_repo = %repo
        Session.OpenAsync: #2 ~_repo.Find(%name)
        Session.OpenAsync: user = #2
        Session.OpenAsync: #3 new ~User(%name)
        Session.OpenAsync: other:User = #3
        Session.OpenAsync: #4 other:User.Save()
        Session.OpenAsync: item = each user.Items
        Session.OpenAsync.<lambda1>: #5 ~Helper(%x)
        Session.OpenAsync: #6 item.Run(&Session.OpenAsync.<lambda1>)
        Session.OpenAsync: #7 this.Make(n=?)
        Session.OpenAsync: return #7
        Session.Hidden: #8 ~Log()
        "##,
    );
}

using System;
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

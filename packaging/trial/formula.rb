# Carries out a Homebrew formula without Homebrew: picks the archive of this machine, compares its checksum, unpacks it,
# runs `install` and `test`.
#
#   ruby formula.rb FORMULA FOLDER_WITH_ARCHIVES PREFIX
require "digest"
require "fileutils"
require "open3"
require "pathname"
require "tmpdir"

FORMULA, ARCHIVES, PREFIX = ARGV.map { |path| Pathname.new(path).expand_path }

# A folder that files are installed into.
class Target
  def initialize(path)
    @path = path
  end

  def install(*files)
    FileUtils.mkdir_p(@path)
    files.flatten.each { |file| FileUtils.cp(file, @path, preserve: true) }
  end

  def /(name) = @path / name

  def to_s = @path.to_s
end

# The part of Homebrew's language that the formula uses.
class Formula
  class << self
    attr_reader :address, :checksum, :tests

    def desc(_text) = nil
    def homepage(_text) = nil
    def license(_terms) = nil
    def version(text = nil) = text ? @version = text : @version
    def url(text) = @address = text
    def sha256(text) = @checksum = text
    def test(&block) = @tests = block
    def on_linux = RUBY_PLATFORM.include?("linux") ? yield : nil
    def on_macos = RUBY_PLATFORM.include?("darwin") ? yield : nil
    def on_intel = RUBY_PLATFORM.start_with?("x86_64") ? yield : nil
    def on_arm = RUBY_PLATFORM.match?(/\A(aarch64|arm64)/) ? yield : nil
  end

  def version = self.class.version
  def bin = Target.new(PREFIX / "bin")
  def man1 = Target.new(PREFIX / "share/man/man1")

  def system(*command)
    raise "#{command.join(" ")} failed" unless Kernel.system(*command.map(&:to_s))
  end

  def generate_completions_from_executable(program, *args)
    folders = { bash: "share/bash-completion/completions/cairn", zsh: "share/zsh/site-functions/_cairn",
                fish: "share/fish/vendor_completions.d/cairn.fish" }
    folders.each do |shell, path|
      text, status = Open3.capture2(program.to_s, *args, shell.to_s)
      raise "no completions for #{shell}" unless status.success? && !text.empty?
      FileUtils.mkdir_p((PREFIX / path).dirname)
      (PREFIX / path).write(text)
    end
  end

  def shell_output(command) = Open3.capture2(command).first

  def assert_match(wanted, text)
    raise "#{wanted} is not in #{text}" unless text.include?(wanted)
  end
end

load FORMULA.to_s
archive = ARCHIVES / File.basename(Cairn.address)
raise "the checksum of #{archive} differs" unless Digest::SHA256.file(archive).hexdigest == Cairn.checksum

Dir.mktmpdir do |folder|
  Dir.chdir(folder) do
    raise "cannot unpack #{archive}" unless Kernel.system("tar", "-xzf", archive.to_s, "--strip-components=1")
    formula = Cairn.new
    formula.install
    formula.instance_eval(&Cairn.tests)
  end
end

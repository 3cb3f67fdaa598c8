# Sessions of users.
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

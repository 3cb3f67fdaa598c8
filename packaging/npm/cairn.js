#!/usr/bin/env node
// Starts the program of this platform, which npm installed as an optional dependency.
"use strict";

const { spawn } = require("node:child_process");

const name = `@PACKAGE@-${process.platform}-${process.arch}`;
const file = process.platform === "win32" ? "cairn.exe" : "cairn";

function program() {
  if (process.env.CAIRN_BINARY) return process.env.CAIRN_BINARY;
  try {
    return require.resolve(`${name}/${file}`);
  } catch {
    console.error(
      `@PACKAGE@: the package ${name} is not installed.\n` +
        "Either this platform is not supported, or optional dependencies were left out:\n" +
        "  npm install --include=optional @PACKAGE@\n" +
        "CAIRN_BINARY can name a program that you built yourself.",
    );
    process.exit(1);
  }
}

const child = spawn(program(), process.argv.slice(2), { stdio: "inherit", windowsHide: true });
// A server must end when its launcher is told to.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => child.kill(signal));
}
child.on("error", (error) => {
  console.error(`@PACKAGE@: cannot start ${child.spawnfile}: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  process.exit(code ?? (signal === "SIGINT" ? 130 : 1));
});

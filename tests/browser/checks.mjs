// Checks print `ok name` or `not ok name: why`, as the other client tests do.

let passed = 0;
let failed = 0;
let repository = "";

/** Names the repository that the checks from here on are about. */
export function inRepository(name) {
  repository = `${name}: `;
}

/** Runs one check; what it throws is why it failed. */
export async function check(name, run) {
  try {
    await run();
    passed += 1;
    console.log(`ok ${repository}${name}`);
  } catch (error) {
    failed += 1;
    console.log(`not ok ${repository}${name}: ${String(error?.message ?? error).split("\n").slice(0, 12).join(" | ")}`);
  }
}

/** Fails unless something holds. */
export function expect(holds, why) {
  if (!holds) throw new Error(why);
}

/** Prints the sum, and says how the process should end. */
export function finish() {
  console.log(`${passed} passed, ${failed} failed`);
  return failed || !passed ? 1 : 0;
}

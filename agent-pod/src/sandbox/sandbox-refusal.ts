/** The sandbox did not start a script: nothing ran, and nothing of it needs to be looked up. The message says what to change. */
export class SandboxRefusal extends Error {
  override readonly name = 'SandboxRefusal';
}

/** The sandbox did not start a script: nothing ran, and there is nothing to look up. The message says what to change. */
export class SandboxRefusal extends Error {
  override readonly name = 'SandboxRefusal';
}

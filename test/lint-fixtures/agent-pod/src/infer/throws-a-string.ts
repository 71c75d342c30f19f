// Violates typescript(only-throw-error): what is thrown has a stack.
export function fail(): never {
  throw 'failed';
}

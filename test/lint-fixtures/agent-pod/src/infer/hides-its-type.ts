// Violates typescript(explicit-module-boundary-types): an export states what it returns.
export function parts(text: string) {
  return text.split(',');
}

/** The name of a person in the record. `name` is the bare name, as the person's system knows it. */
export function humanPrincipal(name: string): string {
  return `human:${name}`;
}

/** How a person is named in the record. `name` is the bare name, as the person's system knows it. */
export function humanPrincipal(name: string): string {
  return `human:${name}`;
}

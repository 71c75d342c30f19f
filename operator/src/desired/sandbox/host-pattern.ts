/** Whether every host that `wanted` means is meant by one of `allowed` too. Both may begin with `*.`, all subdomains. */
export function isHostAllowed(wanted: string, allowed: readonly string[]): boolean {
  return allowed.some((pattern) => {
    if (pattern === wanted) return true;
    return pattern.startsWith('*.') && wanted.replace(/^\*/, '').endsWith(pattern.slice(1));
  });
}

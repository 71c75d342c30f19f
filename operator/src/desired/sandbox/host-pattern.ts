/** Whether `allowed` covers every host that `wanted` matches. Both may begin with `*.`, which matches all subdomains. */
export function isHostAllowed(wanted: string, allowed: readonly string[]): boolean {
  return allowed.some((pattern) => {
    if (pattern === wanted) return true;
    return pattern.startsWith('*.') && wanted.replace(/^\*/, '').endsWith(pattern.slice(1));
  });
}

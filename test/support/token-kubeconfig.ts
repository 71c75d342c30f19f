/** A kubeconfig for an API server of a test, which takes the token for the user's name. */
export function tokenKubeconfig(server: string, token: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    clusters: [{ name: 'test', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'test', user: { token } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
  });
}

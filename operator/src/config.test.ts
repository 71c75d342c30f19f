import { describe, expect, it } from 'vitest';
import { parseConfig } from './config.ts';

const least = {
  RETAINER_NAMESPACE: 'retainer-system',
  RETAINER_POD_NAME: 'operator-1',
  RETAINER_SANDBOX_NAMESPACE: 'retainer-sandboxes',
  RETAINER_AGENT_IMAGE: 'agent:1',
  RETAINER_SANDBOX_IMAGE: 'sandbox:1',
};

describe('parseConfig', () => {
  it('needs five variables and has a default for every other', () => {
    const config = parseConfig(least);
    expect(config.ok && config.value.lease).toEqual({ durationMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2000 });
    expect(config.ok && config.value.settings.watchNamespaces).toBeUndefined();
    expect(config.ok && config.value.settings.network.dns.podLabels).toEqual({ 'k8s-app': 'kube-dns' });
  });

  it('names every missing variable at once', () => {
    const config = parseConfig({});
    expect(!config.ok && config.error.map((fault) => fault.split(':')[0])).toEqual(Object.keys(least));
  });

  it.each([
    ['RETAINER_RENEW_SECONDS', '20'],
    ['RETAINER_API_SERVER_PORTS', 'https'],
    ['RETAINER_DNS_LABELS', 'kube-dns'],
    ['RETAINER_IMAGE_PULL_POLICY', 'Sometimes'],
    ['RETAINER_HAS_USER_NAMESPACES', 'yes'],
    ['RETAINER_ROLLING_AGENTS_MAX', '0'],
    ['RETAINER_AGENT_HTTPS_PROXY', 'proxy:3128'],
    ['RETAINER_AGENT_HTTPS_PROXY', 'socks5://proxy:1080'],
    ['RETAINER_AGENT_HTTPS_PROXY', 'http://proxy:99999'],
    ['RETAINER_AGENT_HTTPS_PROXY', 'http://ada:secret@proxy:3128'],
  ])('refuses %s=%s and names it', (name, value) => {
    const config = parseConfig({ ...least, [name]: value });
    expect(!config.ok && config.error.join()).toContain(name);
  });

  it('knows its pod where it is told of it', () => {
    const config = parseConfig({ ...least, RETAINER_POD_UID: 'a-uid' });
    expect(config.ok && config.value.podUid).toBe('a-uid');
    const outside = parseConfig({ ...least, RETAINER_POD_UID: '' });
    expect(outside.ok && outside.value.podUid).toBeUndefined();
  });

  it('gives agents the proxy of the company', () => {
    const proxy = { RETAINER_AGENT_HTTPS_PROXY: 'http://proxy:3128', RETAINER_AGENT_NO_PROXY: '.corp,10.0.0.0/8' };
    const config = parseConfig({ ...least, ...proxy });
    const companyProxy = { url: 'http://proxy:3128', direct: ['.corp', '10.0.0.0/8'], cidrs: [] };
    expect(config.ok && config.value.settings.network.companyProxy).toEqual(companyProxy);
  });

  it('watches the namespaces that it is told', () => {
    const config = parseConfig({ ...least, RETAINER_WATCH_NAMESPACES: 'a,b' });
    expect(config.ok && config.value.settings.watchNamespaces).toEqual(['a', 'b']);
  });
});

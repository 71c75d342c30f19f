import { describe, expect, it } from 'vitest';
import { readProxyConfig } from './config.ts';

const least = { RETAINER_PROXY_KEY_FILE: '/etc/retainer/key/public' };

describe('readProxyConfig', () => {
  it('needs the key file, and has a default for everything else', () => {
    expect(readProxyConfig(least)).toEqual({
      ok: true,
      value: {
        keyFile: '/etc/retainer/key/public',
        port: 3128,
        metricsPort: 9092,
        ports: [443],
        agentPorts: [],
        connectionsPerAddress: 128,
        bindsGrants: true,
      },
    });
  });

  it('takes other ports', () => {
    const config = readProxyConfig({ ...least, RETAINER_PROXY_ALLOWED_PORTS: '443,993', RETAINER_PROXY_PORT: '8888' });
    expect(config.ok && config.value).toMatchObject({ ports: [443, 993], port: 8888 });
    const mail = readProxyConfig({ ...least, RETAINER_PROXY_AGENT_PORTS: '993,465' });
    expect(mail.ok && mail.value).toMatchObject({ ports: [443], agentPorts: [993, 465] });
  });

  it('lets grants go from pod to pod where it is told so', () => {
    const config = readProxyConfig({ ...least, RETAINER_PROXY_BINDS_GRANTS: 'false' });
    expect(config.ok && config.value).toMatchObject({ bindsGrants: false });
  });

  it.each([
    {},
    { ...least, RETAINER_PROXY_PORT: 'x' },
    { ...least, RETAINER_PROXY_METRICS_PORT: '70000' },
    { ...least, RETAINER_PROXY_ALLOWED_PORTS: '443,' },
    { ...least, RETAINER_PROXY_ALLOWED_PORTS: '443;993' },
    { ...least, RETAINER_PROXY_AGENT_PORTS: '993,imap' },
    { ...least, RETAINER_PROXY_BINDS_GRANTS: 'perhaps' },
  ])('names what is wrong in %j', (env) => {
    const config = readProxyConfig(env);
    expect(!config.ok && config.error).toMatch(/^RETAINER_PROXY_[A-Z_]+: /);
  });
});

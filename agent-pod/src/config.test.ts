import { describe, expect, it } from 'vitest';
import { readAuditorConfig, readConfig } from './config.ts';

const digest = `sha256:${'a'.repeat(64)}`;
const environment = {
  RETAINER_AGENT_NAME: 'ada',
  RETAINER_AGENT_NAMESPACE: 'team',
  RETAINER_AGENT_UID: 'u',
  RETAINER_POD_NAME: 'retainer-ada-0',
  RETAINER_POD_UID: 'p',
  RETAINER_CHARACTER_DIGEST: digest,
  RETAINER_SKILLS_DIGEST: digest,
  RETAINER_CONFIG_DIGEST: digest,
};

describe('the environment of a pod', () => {
  it('needs identity and digests, and has defaults for the rest', () => {
    expect(readConfig(environment)).toMatchObject({
      ok: true,
      value: {
        agent: { namespace: 'team', name: 'ada', uid: 'u' },
        dataDirectory: '/data',
        mounts: { boot: '/etc/retainer/boot', secrets: '/etc/retainer/secrets' },
        ports: { http: 8080, metrics: 9090 },
        graceMs: 60_000,
        sandboxNamespace: undefined,
        lease: { durationMs: 90_000, renewMs: 30_000 },
      },
    });
  });

  it('of the auditor has a bus that is shared where a Redis is named, and quotes nothing of a URL that is wrong', () => {
    const address = { host: 'redis.team', port: 6379, username: 'ada', password: 'secret', db: 0, isTls: true };
    const url = 'rediss://ada:secret@redis.team';
    expect(readAuditorConfig({ ...environment, RETAINER_REDIS_URL: url })).toEqual({
      ok: true,
      value: { agent: 'team/ada', redis: address },
    });
    const urlFile = '/etc/retainer/bus/redis/url';
    expect(readAuditorConfig({ ...environment, RETAINER_REDIS_URL_FILE: urlFile })).toEqual({
      ok: true,
      value: { agent: 'team/ada', redis: { urlFile } },
    });
    expect(readAuditorConfig({})).toEqual({ ok: true, value: undefined });
    const refused = readAuditorConfig({ ...environment, RETAINER_REDIS_URL: 'http://ada:secret@redis.team' });
    const faults = refused.ok ? '' : refused.error.join();
    expect(faults).toMatch(/RETAINER_REDIS_URL.*redis:\/\//);
    expect(faults).not.toContain('secret@');
    const both = readAuditorConfig({ ...environment, RETAINER_REDIS_URL: url, RETAINER_REDIS_URL_FILE: urlFile });
    expect(both.ok ? '' : both.error.join()).toMatch(/^RETAINER_REDIS_URL_FILE: unset it or RETAINER_REDIS_URL/);
  });

  it('puts every mount below another root', () => {
    const config = readConfig({ ...environment, RETAINER_MOUNT_ROOT: '/tmp/x' });
    expect(config).toMatchObject({ ok: true, value: { mounts: { skills: '/tmp/x/etc/retainer/skills' } } });
  });

  it('names every variable that is missing or wrong', () => {
    const { RETAINER_POD_UID: _, ...rest } = environment;
    const config = readConfig({ ...rest, RETAINER_CONFIG_DIGEST: 'x', RETAINER_HTTP_PORT: '-1' });
    const faults = config.ok ? [] : config.error;
    expect(faults.map((fault) => fault.split(':')[0]).toSorted()).toEqual([
      'RETAINER_CONFIG_DIGEST',
      'RETAINER_HTTP_PORT',
      'RETAINER_POD_UID',
    ]);
  });
});

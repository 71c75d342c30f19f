import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/verifies.ts';
import { imagePullAdvice, isImagePull } from './image-pull.ts';

const at = 'images.example/team/agent:1';
const containerd = `failed to pull and unpack image "${at}": failed to resolve reference "${at}": `;

const cases: readonly (readonly [name: string, reason: string, message: string, advice: RegExp])[] = [
  [
    'a registry without an address',
    'ErrImagePull',
    `${containerd}failed to do request: Head "https://images.example/v2/team/agent/manifests/1": dial tcp: lookup images.example on 192.0.2.1:53: no such host`,
    /does not reach the registry/,
  ],
  [
    'a registry that is down',
    'ErrImagePull',
    `${containerd}failed to do request: Head "https://images.example/": dial tcp 192.0.2.2:443: connect: connection refused`,
    /does not reach the registry/,
  ],
  [
    'a registry that says nothing',
    'ImagePullBackOff',
    `Back-off pulling image "${at}": ErrImagePull: pinging container registry images.example: Get "https://images.example/v2/": net/http: TLS handshake timeout`,
    /does not reach the registry/,
  ],
  ['a registry that the kubelet gave up', 'RegistryUnavailable', '', /does not reach the registry/],
  [
    'an image that is not there',
    'ErrImagePull',
    `${containerd}${at}: not found`,
    /does not have the image: correct spec\.image/,
  ],
  [
    'a registry that wants a secret',
    'ErrImagePull',
    `${containerd}pull access denied, repository does not exist or may require authorization: server message: insufficient_scope`,
    /pull secrets/,
  ],
  [
    'a registry that has had enough',
    'ErrImagePull',
    `${containerd}unexpected status from HEAD request: 429 Too Many Requests`,
    /the kubelet tries again/,
  ],
  ['a policy that fetches nothing', 'ErrImageNeverPull', `Container image "${at}" is not present`, /policy is Never/],
  ['a name that is none', 'InvalidImageName', 'Failed to apply default image tag', /not a valid image name/],
  [
    'a kubelet of few words',
    'ImagePullBackOff',
    `Back-off pulling image "${at}"`,
    /check spec\.image, its pull secrets/,
  ],
];

describe('imagePullAdvice', () => {
  for (const [name, reason, message, advice] of cases)
    verifies('operator-agent:status-says-why', `knows ${name}`, () => {
      expect(isImagePull({ reason })).toBe(true);
      expect(imagePullAdvice({ reason, message }, 'spec.image')).toMatch(advice);
    });

  it('leaves other waits alone', () => {
    expect(isImagePull({ reason: 'CrashLoopBackOff' })).toBe(false);
    expect(isImagePull({})).toBe(false);
  });
});

import type { Requirements } from './requirement.ts';

export const egressProxyRequirements = {
  'design 7 (egress by host name)': {
    'egress-proxy:connect-only': 'Anything but a well-formed CONNECT is refused, and nothing of it is forwarded.',
  },
  'design 7 (egress by host name); reliability-security 3': {
    'egress-proxy:grant-only':
      'A tunnel needs a grant that the operator signed, that has not expired, that was given to the pod that shows it, and that names the host and an allowed port.',
    'egress-proxy:capped':
      'Tunnels, bytes, time, silence, headers and slow clients are limited, and the limit that ended a tunnel is told.',
  },
  'reliability-security 3': {
    'egress-proxy:public-only':
      'No address that is private, local, reserved or hides such an address is connected to, in any spelling.',
  },
  'design 7 (egress by host name); reliability-security 5': {
    'egress-proxy:checked-address':
      'Every address of a name is checked and a checked one connected to; no second look-up can change it.',
  },
  'reliability-security 3; platforms 6': {
    'egress-proxy:one-line-each':
      'Every request gives one log line with subject, host, verdict and bytes, and no credentials.',
  },
  'platforms 6': {
    'egress-proxy:drains': 'On its way down it takes nothing new, lets tunnels end, and cuts them after the grace.',
  },
} as const satisfies Requirements;

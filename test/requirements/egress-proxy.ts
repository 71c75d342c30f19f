import type { Requirements } from './requirement.ts';

export const egressProxyRequirements = {
  'egress-proxy:connect-only': {
    source: 'design 7 (egress by host name)',
    behavior: 'Anything but a well-formed CONNECT is refused, and nothing of it is forwarded.',
  },
  'egress-proxy:grant-only': {
    source: 'design 7 (egress by host name); reliability-security 3',
    behavior:
      'A tunnel needs a grant that the operator signed, that has not expired, that was given to the pod that shows it, and that names the host and an allowed port.',
  },
  'egress-proxy:public-only': {
    source: 'reliability-security 3',
    behavior: 'No address that is private, local, reserved or hides such an address is connected to, in any spelling.',
  },
  'egress-proxy:checked-address': {
    source: 'design 7 (egress by host name); reliability-security 5',
    behavior: 'Every address of a name is checked and a checked one connected to; no second look-up can change it.',
  },
  'egress-proxy:capped': {
    source: 'design 7 (egress by host name); reliability-security 3',
    behavior:
      'Tunnels, bytes, time, silence, headers and slow clients are limited, and the limit that ended a tunnel is told.',
  },
  'egress-proxy:one-line-each': {
    source: 'reliability-security 3; platforms 6',
    behavior: 'Every request gives one log line with subject, host, verdict and bytes, and no credentials.',
  },
  'egress-proxy:drains': {
    source: 'platforms 6',
    behavior: 'On its way down it takes nothing new, lets tunnels end, and cuts them after the grace.',
  },
} as const satisfies Requirements;

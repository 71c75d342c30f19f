import type { Requirements } from './requirement.ts';

export const upkeepRequirements = {
  'reliability-security 1': {
    'upkeep:volume-levels':
      'The volume is looked at every 30 s: 80 % warns, 90 % takes no new tasks, 95 % is read-only.',
    'upkeep:clock-jump':
      'When wall and monotonic clock differ by more than 2 s between two ticks, the jump is recorded.',
  },
  'reliability-security 7': {
    'upkeep:resume': 'A journal that stopped because the volume was full works again within 5 s after space returned.',
    'upkeep:full-volume':
      'On a full volume the journal is degraded and readable, loses nothing that was acknowledged and leaves no torn line; on a read-only one it is readable, and no process restarts in a loop.',
  },
  'artoo A.11 (Dreamer), D': {
    'upkeep:dreams':
      'The agent dreams 50 ms after a run is archived if it is at rest, each upkeep.dreamInterval, and when a person wants it; never at its end.',
  },
} as const satisfies Requirements;

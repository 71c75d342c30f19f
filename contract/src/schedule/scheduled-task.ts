/** The Task of one moment of a schedule: by the operator on a cluster, and by the agent without one. */
import { DNS_LABEL_LENGTH_MAX } from '../api/fields.ts';
import { ANNOTATIONS, LABELS } from '../api/names.ts';
import { sha256Hex } from '../std/hash.ts';

const MINUTE_MS = 60_000;
/** Digits of the hash that replaces the rest of a long name: two schedules collide with a chance of one in a trillion. */
const HASH_DIGITS = 10;

/** Fields that Tasks do not inherit: they concern the schedule itself, or one run. */
const OWN_FIELDS: ReadonlySet<string> = new Set(['schedule', 'cancel', 'answers', 'approvals', 'override']);

/** As the API server has it, or as a manifest says it. */
interface Schedule {
  readonly metadata: { readonly name: string; readonly namespace?: string | undefined };
  readonly spec?: unknown;
}

/** The Task to be made, without kind and owner. */
export interface MadeTask {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  };
  readonly spec: Readonly<Record<string, unknown>>;
}

export interface ScheduledMoment {
  readonly momentMs: number;
  /** The same moment, ISO 8601. */
  readonly moment: string;
  readonly runNumber: number;
  readonly isCancelled: boolean;
}

/** The Task of one moment. The applier adds its owner. */
export function scheduledTask(schedule: Schedule, at: ScheduledMoment): MadeTask {
  const { name, namespace } = schedule.metadata;
  const spec = (schedule.spec ?? {}) as Readonly<Record<string, unknown>>;
  const inherited = Object.entries(spec).filter(([field]) => !OWN_FIELDS.has(field));
  return {
    metadata: {
      name: scheduledTaskName(name, at.momentMs),
      ...(namespace === undefined ? {} : { namespace }),
      labels: {
        [LABELS.managedBy]: 'retainer',
        [LABELS.partOf]: 'retainer',
        [LABELS.task]: name,
      },
      annotations: {
        [ANNOTATIONS.scheduledFor]: at.moment,
        [ANNOTATIONS.scheduleRun]: String(at.runNumber),
      },
    },
    spec: { ...Object.fromEntries(inherited), ...(at.isCancelled ? { cancel: true } : {}) },
  };
}

/** `SCHEDULE-MINUTES` since 1970, unique for each moment. A long name of a schedule is shortened. */
export function scheduledTaskName(name: string, momentMs: number): string {
  const minutes = String(Math.floor(momentMs / MINUTE_MS));
  if (name.length + 1 + minutes.length <= DNS_LABEL_LENGTH_MAX) return `${name}-${minutes}`;
  const hash = sha256Hex(name).slice(0, HASH_DIGITS);
  const room = DNS_LABEL_LENGTH_MAX - minutes.length - HASH_DIGITS - 2;
  return `${name.slice(0, room).replace(/-+$/, '')}-${hash}-${minutes}`;
}

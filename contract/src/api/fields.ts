/**
 * Small schemas shared by the kinds. Each is bounded, so that CEL rules over it stay within the API server's cost limit.
 * Every pattern is RE2, the API server's dialect.
 */
import { z } from 'zod';
import { withRules } from './cel-rule.ts';

/** Also the limit of names that are label values. Source: RFC 1123. */
export const DNS_LABEL_LENGTH_MAX = 63;
/** Source: RFC 1123 as Kubernetes applies it. */
export const DNS_NAME_LENGTH_MAX = 253;
/** Characters; writers keep to 4 KiB of UTF-8. Source: design 3. */
export const STATUS_SUMMARY_LENGTH_MAX = 4096;
const REASON_LENGTH_MAX = 1024;

export const ObjectName = z
  .string()
  .min(1)
  .max(DNS_NAME_LENGTH_MAX)
  .regex(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/);

/** A short stable id that people choose: lower case, digits, hyphens. */
export const Slug = z
  .string()
  .min(1)
  .max(DNS_LABEL_LENGTH_MAX)
  .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/);

/** Id of a run, cycle, call or request in the record. */
export const RecordId = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._:-]*$/);

/** A UUID in lower case. Source: RFC 9562. */
export const Uuid = z
  .string()
  .length(36)
  .regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);

/** A PascalCase word, as Kubernetes reasons are. */
export const PascalCase = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[A-Z][A-Za-z0-9]*$/);

/** Name of a tool as the model calls it; `*` stands for any run of characters. */
export const ToolPattern = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[A-Za-z0-9_.*-]+$/);

/** No segment is empty, `.` or `..`, so that a path cannot leave its directory. */
const SAFE_SEGMENTS =
  /^([^/.\x00][^/\x00]*|\.[^/.\x00][^/\x00]*|\.\.[^/\x00]+)(\/([^/.\x00][^/\x00]*|\.[^/.\x00][^/\x00]*|\.\.[^/\x00]+))*$/;

/** A path relative to a directory that it cannot leave. */
export const RelativePath = z.string().min(1).max(1024).regex(SAFE_SEGMENTS);

/** A glob relative to the agent's workspace: `*` and `?` within one segment, `**` across segments. */
export const PathGlob = z.string().min(1).max(256).regex(SAFE_SEGMENTS);

/** A host name, or `*.` and a domain for all its subdomains. */
export const HostPattern = z
  .string()
  .min(1)
  .max(DNS_NAME_LENGTH_MAX)
  .regex(/^(\*\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/);

/** An HTTP or HTTPS address without credentials. */
export const HttpUrl = z
  .string()
  .max(2048)
  .regex(/^https?:\/\/[^\s/@]+(\/[^\s]*)?$/);

/** SHA-256 with its algorithm in front, as images and journal heads write it. */
export const Sha256Digest = z
  .string()
  .max(71)
  .regex(/^sha256:[0-9a-f]{64}$/);

/** A Kubernetes quantity such as `500m` or `10Gi`. */
export const Quantity = z
  .string()
  .min(1)
  .max(32)
  .regex(/^[0-9]+(\.[0-9]+)?(m|k|M|G|T|P|Ki|Mi|Gi|Ti|Pi)?$/);

/** A span of time in hours, minutes, seconds and milliseconds, such as `1h30m` or `90s`. Read with `durationMs`. */
export const DurationText = z
  .string()
  .min(2)
  .max(32)
  .regex(/^([0-9]{1,6}h)?([0-9]{1,6}m)?([0-9]{1,6}s)?([0-9]{1,9}ms)?$/);

/** Five fields (minute, hour, day of month, month, day of week) or a `@` shorthand. */
export const CronText = z
  .string()
  .min(5)
  .max(128)
  .regex(/^(@(yearly|monthly|weekly|daily|hourly)|[^\s]+( [^\s]+){4})$/);

export const TimeZone = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[A-Za-z0-9_+/-]+$/);

export const CatchUp = z
  .enum(['Skip', 'Once', 'All'])
  .default('Once')
  .describe('What to do about scheduled times that the agent missed while it was down.');
export type CatchUp = z.infer<typeof CatchUp>;

/** A time, RFC 3339 with an offset. */
export const Instant = z.iso.datetime({ offset: true });

export const ReasonText = z.string().min(1).max(REASON_LENGTH_MAX);

/** An e-mail address, or `*@` and a domain for all its addresses. */
export const AddressPattern = z
  .string()
  .min(3)
  .max(254)
  .regex(/^(\*|[A-Za-z0-9._%+'-]+)@[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/);

/** A regular expression in RE2 syntax: linear time, no look-around, no back-references. */
export const Re2Pattern = withRules(z.string().min(1).max(512), [
  {
    rule: "''.matches(self) || !''.matches(self)",
    message: 'must be a regular expression in RE2 syntax (no look-around, no back-references)',
  },
]);

export const Ratio = z.number().min(0).max(1);

export const LocalRef = z
  .object({ name: ObjectName.describe('Name of the object, in the same namespace.') })
  .describe('Reference to an object in the same namespace.');

export const SecretKeyRef = z
  .object({
    name: ObjectName.describe('Name of the Secret, in the same namespace.'),
    key: z
      .string()
      .min(1)
      .max(DNS_NAME_LENGTH_MAX)
      .regex(/^[-._a-zA-Z0-9]+$/)
      .describe('Key within the Secret.'),
  })
  .describe('One key of a Secret.');

export const ConfigMapKeyRef = z
  .object({
    name: ObjectName.describe('Name of the ConfigMap, in the same namespace.'),
    key: z
      .string()
      .min(1)
      .max(DNS_NAME_LENGTH_MAX)
      .regex(/^[-._a-zA-Z0-9]+$/)
      .describe('Key within the ConfigMap.'),
  })
  .describe('One key of a ConfigMap.');

/** Validated by Kubernetes; kept unchanged. */
export const PreservedObject = z
  .record(z.string().max(DNS_NAME_LENGTH_MAX), z.unknown())
  .meta({ 'x-kubernetes-preserve-unknown-fields': true });

export const ResourceAmounts = z
  .object({
    cpu: Quantity.optional().describe('Processors, such as 500m for half a processor.'),
    memory: Quantity.optional().describe('Memory, such as 512Mi.'),
    'ephemeral-storage': Quantity.optional().describe('Ephemeral storage on the node, such as 1Gi.'),
  })
  .describe('Amounts of processor, memory and ephemeral storage.');

export const Resources = z
  .object({
    requests: ResourceAmounts.optional().describe('Amounts that the scheduler reserves.'),
    limits: ResourceAmounts.optional().describe('Maximum amounts that the container can use.'),
  })
  .describe('Requests and limits of the container.');

const UNIT_MS = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 } as const;

/** Milliseconds of a {@link DurationText}; 0 for other text. */
export function durationMs(text: string): number {
  let totalMs = 0;
  for (const [, amount, unit] of text.matchAll(/([0-9]+)(ms|h|m|s)/g))
    totalMs += Number(amount) * UNIT_MS[unit as keyof typeof UNIT_MS];
  return totalMs;
}

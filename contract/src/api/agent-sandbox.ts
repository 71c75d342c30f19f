/** Where code runs, apart from the agent. Source: design 3, 7 (sandbox.root, egress); springdrift 11; reliability-security 3. */
import { z } from 'zod';
import { atomicList, setList, withRules } from './cel-rule.ts';
import { DurationText, HostPattern, ObjectName, PreservedObject, Quantity, Resources } from './fields.ts';
import { SANDBOX_LANGUAGES } from './sandbox-run.ts';

const EGRESS_MAX = 32;

/** Every SandboxRun of the Agent must conform to it. */
export const AgentSandbox = withRules(
  z
    .object({
      enabled: z.boolean().default(true).describe('Whether the agent may run code at all.'),
      image: z
        .string()
        .min(1)
        .max(512)
        .optional()
        .describe('Image, best pinned by digest; that of the installation where absent.'),
      timeout: DurationText.default('60s').describe('Longest run of code.'),
      resources: Resources.optional().describe('Requests and limits of the sandbox.'),
      processes: z.int().min(1).max(4096).default(128).describe('Processes and threads at once.'),
      scratch: Quantity.default('512Mi').describe(
        'Files that the code may write. What it leaves is kept up to 15/16 of this, so that the next run has room.',
      ),
      outputBytes: z
        .int()
        .min(1024)
        .max(67_108_864)
        .default(1_048_576)
        .describe('Standard output and error that are kept, half of it for each.'),
      languages: setList(z.array(z.enum(SANDBOX_LANGUAGES)).min(1).max(SANDBOX_LANGUAGES.length))
        .default([...SANDBOX_LANGUAGES])
        .describe('Languages that code may be written in.'),
      egress: atomicList(z.array(HostPattern).max(EGRESS_MAX))
        .default([])
        .describe('Hosts that code may reach, through the egress proxy; empty for none.'),
      runtimeClassName: ObjectName.optional().describe('RuntimeClass, such as gvisor or kata.'),
      requireRuntimeClass: z.boolean().default(false).describe('Refuse to run code where no RuntimeClass isolates it.'),
      root: z
        .boolean()
        .default(false)
        .describe('Let code be root in an own user namespace; refused where the cluster has none.'),
      serve: z.boolean().default(false).describe('Let code keep ports open; they are reached through the agent only.'),
      pool: z
        .object({
          size: z.int().min(0).max(16).default(0).describe('Sandboxes that stand ready.'),
          maxConcurrent: z.int().min(1).max(64).default(2).describe('Sandboxes that run at once.'),
        })
        .prefault({})
        .describe('Sandboxes that stand ready.'),
      nodeSelector: z
        .record(z.string().max(317), z.string().max(63))
        .meta({ maxProperties: 64 })
        .optional()
        .describe('Labels of the nodes that sandboxes run on.'),
      tolerations: atomicList(z.array(PreservedObject.describe('A toleration.')).max(16))
        .optional()
        .describe('Tolerations of sandbox pods.'),
    })
    .describe('Where code runs, apart from the agent.'),
  [
    {
      rule: "duration(self.timeout) >= duration('1s') && duration(self.timeout) <= duration('24h')",
      message: 'timeout must be between 1s and 24h',
      fieldPath: '.timeout',
    },
    {
      rule: '!self.requireRuntimeClass || has(self.runtimeClassName)',
      message: 'requireRuntimeClass needs runtimeClassName',
      fieldPath: '.runtimeClassName',
      reason: 'FieldValueRequired',
    },
    {
      rule: 'self.pool.size <= self.pool.maxConcurrent',
      message: 'pool.size must not be above pool.maxConcurrent',
      fieldPath: '.pool.size',
    },
    {
      rule: 'self.enabled || (self.egress.size() == 0 && self.pool.size == 0 && !self.root && !self.serve)',
      message: 'a disabled sandbox has no egress, pool, root or serve',
      fieldPath: '.enabled',
    },
  ],
);
export type AgentSandbox = z.infer<typeof AgentSandbox>;

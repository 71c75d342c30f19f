/** Where code runs, apart from the agent. Source: design 3, 7 (sandbox.root, egress); springdrift 11; reliability-security 3. */
import { z } from 'zod';
import { atomicList, setList, withRules } from './cel-rule.ts';
import { DurationText, HostPattern, ObjectName, PreservedObject, Quantity, Resources } from './fields.ts';
import { SANDBOX_LANGUAGES } from './sandbox-run.ts';

const EGRESS_MAX = 32;

/** Of a sandbox whose Agent names no memory: enough for a script, an interpreter and the runner. */
export const SANDBOX_MEMORY_DEFAULT = '512Mi';

/** Every SandboxRun of the Agent must conform to it. */
export const AgentSandbox = withRules(
  z
    .object({
      enabled: z.boolean().default(true).describe('Whether the agent may run code.'),
      image: z
        .string()
        .min(1)
        .max(512)
        .optional()
        .describe('Image, best pinned by digest; absent: the image of the installation.'),
      timeout: DurationText.default('60s').describe('Maximum duration of a run of code.'),
      resources: Resources.optional().describe('Requests and limits of the sandbox.'),
      processes: z.int().min(1).max(4096).default(128).describe('Maximum number of processes and threads.'),
      scratch: Quantity.default('512Mi').describe(
        'Maximum size of the files that the code writes. Up to 15/16 of this stays for the next run; the rest is free for new files.',
      ),
      outputBytes: z
        .int()
        .min(1024)
        .max(67_108_864)
        .default(1_048_576)
        .describe('Maximum size of the kept standard output and error, half of it for each.'),
      languages: setList(z.array(z.enum(SANDBOX_LANGUAGES)).min(1).max(SANDBOX_LANGUAGES.length))
        .default([...SANDBOX_LANGUAGES])
        .describe('Allowed languages.'),
      egress: atomicList(z.array(HostPattern).max(EGRESS_MAX))
        .default([])
        .describe('Hosts that code may reach, through the egress proxy; empty for none.'),
      runtimeClassName: ObjectName.optional().describe('RuntimeClass, such as gvisor or kata.'),
      requireRuntimeClass: z.boolean().default(false).describe('Refuse to run code without a RuntimeClass.'),
      root: z
        .boolean()
        .default(false)
        .describe('Let code run as root of its own user namespace; refused if the cluster has no user namespaces.'),
      serve: z.boolean().default(false).describe('Let code keep ports open; people reach them only through the agent.'),
      pool: z
        .object({
          size: z
            .int()
            .min(0)
            .max(16)
            .default(0)
            .describe('Number of sandboxes that wait for code. A change restarts nothing.'),
          maxConcurrent: z
            .int()
            .min(1)
            .max(64)
            .default(2)
            .describe('Maximum number of sandboxes that run at the same time. A change restarts the agent.'),
        })
        .prefault({})
        .describe('Number of sandboxes that wait for code.'),
      nodeSelector: z
        .record(z.string().max(317), z.string().max(63))
        .meta({ maxProperties: 64 })
        .optional()
        .describe('Node selector of sandbox pods.'),
      tolerations: atomicList(z.array(PreservedObject.describe('A toleration.')).max(16))
        .optional()
        .describe('Tolerations of sandbox pods.'),
    })
    .describe('Sandboxes, in which code runs apart from the agent.'),
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

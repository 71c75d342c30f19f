/**
 * The kind SandboxRun: one run of code, apart from the agent. Agents create it, people only read it.
 *
 * The object never contains code, files or input, but their digests: the agent sends the contents to the
 * sandbox runner directly. Source: design 3, 7 (sandbox transport).
 */
import { z } from 'zod';
import { atomicList, mapList, withRules, type CelRule } from './cel-rule.ts';
import { Conditions, ObservedGeneration } from './conditions.ts';
import {
  DNS_LABEL_LENGTH_MAX,
  DurationText,
  HostPattern,
  Instant,
  LocalRef,
  PascalCase,
  RecordId,
  RelativePath,
  Resources,
  Sha256Digest,
} from './fields.ts';
import { columns, kindSchema, nameRule, type KindDefinition } from './object.ts';

const COMMAND_MAX = 64;
const FILES_MAX = 1024;
const PORTS_MAX = 5;
const EGRESS_MAX = 32;
/** Largest single input: 64 MiB. */
const CONTENT_BYTES_MAX = 67_108_864;

export const SANDBOX_LANGUAGES = ['Bash', 'JavaScript', 'Python'] as const;
export type SandboxLanguage = (typeof SANDBOX_LANGUAGES)[number];

const Content = z
  .object({
    digest: Sha256Digest.describe('SHA-256 of the content.'),
    sizeBytes: z.int().min(0).max(CONTENT_BYTES_MAX).describe('Size in bytes.'),
  })
  .describe('Content that the agent sends to the sandbox directly.');

const SPEC_RULES: readonly CelRule[] = [
  {
    rule: 'self == oldSelf',
    message: 'a SandboxRun cannot be changed; create a new one instead',
    reason: 'FieldValueForbidden',
  },
  {
    rule: 'has(self.command) != has(self.script)',
    message: 'exactly one of command and script must be given',
    fieldPath: '.command',
    reason: 'FieldValueRequired',
  },
  {
    rule: 'has(self.script) == has(self.language)',
    message: 'language is required with script, and not allowed without it',
    fieldPath: '.language',
    reason: 'FieldValueRequired',
  },
  {
    rule: "(self.mode == 'Serve') == (self.ports.size() > 0)",
    message: 'ports is required in mode Serve, and not allowed in mode Run',
    fieldPath: '.ports',
  },
  {
    rule: "duration(self.timeout) >= duration('1s') && duration(self.timeout) <= duration('24h')",
    message: 'timeout must be between 1s and 24h',
    fieldPath: '.timeout',
  },
];

const SandboxRunSpec = withRules(
  z
    .object({
      agentRef: LocalRef.describe('The Agent that runs code, in the same namespace.'),
      runId: RecordId.optional().describe('Id of the agent’s run.'),
      mode: z
        .enum(['Run', 'Serve'])
        .default('Run')
        .describe('Run: run to the end. Serve: keep the ports open until the timeout.'),
      command: atomicList(z.array(z.string().max(4096)).min(1).max(COMMAND_MAX))
        .optional()
        .describe('Program and arguments.'),
      script: Content.optional().describe('Script to run instead of a command.'),
      language: z.enum(SANDBOX_LANGUAGES).optional().describe('Language of the script.'),
      files: mapList(
        z
          .array(
            z
              .object({
                path: RelativePath.describe('Path, relative to the work directory.'),
                digest: Sha256Digest.describe('SHA-256 of the content.'),
                sizeBytes: z.int().min(0).max(CONTENT_BYTES_MAX).describe('Size in bytes.'),
                executable: z.boolean().default(false).describe('Whether the file is executable.'),
              })
              .describe('A file in the work directory at the start.'),
          )
          .max(FILES_MAX),
        'path',
      )
        .default([])
        .describe('Files in the work directory at the start.'),
      stdin: Content.optional().describe('Standard input.'),
      timeout: DurationText.default('60s').describe('Maximum duration; then the run is killed.'),
      ports: mapList(
        z
          .array(
            z
              .object({
                name: z
                  .string()
                  .min(1)
                  .max(15)
                  .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/)
                  .describe('Name of the port.'),
                port: z.int().min(1024).max(65_535).describe('Port the code listens on.'),
              })
              .describe('A port of mode Serve.'),
          )
          .max(PORTS_MAX),
        'name',
      )
        .default([])
        .describe('Ports that the agent forwards in mode Serve.'),
      egress: atomicList(z.array(HostPattern).max(EGRESS_MAX))
        .default([])
        .describe('Hosts that the code may reach, through the egress proxy; empty for none.'),
      resources: Resources.optional(),
      root: z
        .boolean()
        .default(false)
        .describe('Run as root of an own user namespace; refused if the Agent or the cluster does not allow it.'),
      runnerPublicKey: z
        .string()
        .max(64)
        .regex(/^[A-Za-z0-9+/]{43}=$/)
        .describe('Ed25519 public key, base64; the runner accepts only requests signed with the private key.'),
    })
    .describe('The code and its limits.'),
  SPEC_RULES,
);

const SandboxRunStatus = z
  .object({
    observedGeneration: ObservedGeneration.optional(),
    conditions: Conditions.optional(),
    endpoint: z.string().max(253).optional().describe('Host and port of the runner.'),
    podName: z.string().max(253).optional().describe('Pod in the sandbox namespace.'),
    podUid: z.string().max(64).optional().describe('Uid of the pod, which every signed request contains.'),
    claim: z
      .object({
        runUid: z.string().max(64).describe('Uid of this object.'),
        signature: z.string().max(88).describe('The operator’s Ed25519 signature, base64.'),
      })
      .optional()
      .describe('For a sandbox of the pool: the operator’s signed assignment to this run. Not secret.'),
    networkDigest: z
      .string()
      .max(64)
      .optional()
      .describe(
        'For a sandbox of the pool: digest of what kept its namespace closed when the run got it. Another one ends the code.',
      ),
    egress: z
      .object({
        proxy: z.string().max(253).describe('Host and port of the egress proxy.'),
        grant: z.string().max(4096).describe('Allowed hosts, signed by the operator; the proxy requires it.'),
      })
      .optional()
      .describe('Egress proxy, for a run with egress.'),
    exitCode: z.int().min(-1).max(255).optional().describe('Exit code; -1 if a signal ended the code.'),
    truncated: z.boolean().optional().describe('Whether output was truncated at its limit.'),
    durationSeconds: z.number().min(0).optional().describe('Duration of the code.'),
    reason: PascalCase.optional().describe('Reason of the end.'),
    startedAt: Instant.optional().describe('Time when the code started.'),
    finishedAt: Instant.optional().describe('Time when it ended.'),
  })
  .describe('Observed state, reported by the operator and the runner.');

export const SandboxRun = kindSchema('SandboxRun', {
  spec: SandboxRunSpec,
  status: SandboxRunStatus,
  description: 'A run of code in a sandbox. Agents create it; people only read it.',
  rules: [nameRule(DNS_LABEL_LENGTH_MAX)],
});
export type SandboxRun = z.infer<typeof SandboxRun>;

export const sandboxRunDefinition: KindDefinition = {
  kind: 'SandboxRun',
  plural: 'sandboxruns',
  singular: 'sandboxrun',
  shortName: 'rrun',
  selectableFields: ['.spec.agentRef.name'],
  columns: columns(
    { name: 'Exit', type: 'integer', jsonPath: '.status.exitCode', description: 'Exit code.', priority: 0 },
    { name: 'Mode', type: 'string', jsonPath: '.spec.mode', description: 'Run or Serve.', priority: 1 },
    {
      name: 'Agent',
      type: 'string',
      jsonPath: '.spec.agentRef.name',
      description: 'Agent that created it.',
      priority: 1,
    },
    {
      name: 'Duration',
      type: 'number',
      jsonPath: '.status.durationSeconds',
      description: 'Duration of the code in seconds.',
      priority: 1,
    },
  ),
  schema: SandboxRun,
};

/** For every CEL rule of every kind an accepted and a refused object. Read by the test of our parser and by that of a real API server. */
import { SKILL_SECTIONS } from '@retainer/contract/api/skill';
import type { CelCase, Patch } from './cel-case.ts';
import { agentCases } from './cel-cases-agent.ts';
import { characterCases } from './cel-cases-character.ts';
import { nameCase, taskCases } from './cel-cases-task.ts';

const DIGEST = `sha256:${'0'.repeat(64)}`;
const BODY = SKILL_SECTIONS.map((section) => `## ${section}\nText.\n`).join('\n');

const skillCases: readonly CelCase[] = [
  nameCase('Skill'),
  {
    kind: 'Skill',
    path: '',
    message: 'a Skill cannot depend on itself',
    accepted: { spec: { dependencies: [{ name: 'another', version: '1.0.0' }] } },
    refused: { spec: { dependencies: [{ name: 'sample', version: '1.0.0' }] } },
  },
  {
    kind: 'Skill',
    path: '',
    message: 'a changed body needs a new version',
    before: { spec: { configMapRef: undefined, body: BODY } },
    accepted: { spec: { configMapRef: undefined, body: `${BODY}More.`, version: '1.0.1' } },
    refused: { spec: { configMapRef: undefined, body: `${BODY}More.` } },
  },
  {
    kind: 'Skill',
    path: 'spec',
    message: 'exactly one of body and configMapRef must be given',
    accepted: { spec: { body: BODY, configMapRef: undefined } },
    refused: { spec: { body: BODY } },
  },
  {
    kind: 'Skill',
    path: 'spec',
    message: 'only a Deprecated skill names a successor',
    accepted: { spec: { lifecycle: 'Deprecated', successor: { name: 'another' } } },
    refused: { spec: { successor: { name: 'another' } } },
  },
];

const SCRIPT = { digest: DIGEST, sizeBytes: 10 } as const;

function run(message: string, accepted: Patch, refused: Patch): CelCase {
  return { kind: 'SandboxRun', path: 'spec', message, accepted: { spec: accepted }, refused: { spec: refused } };
}

const sandboxRunCases: readonly CelCase[] = [
  nameCase('SandboxRun'),
  {
    kind: 'SandboxRun',
    path: 'spec',
    message: 'a SandboxRun cannot be changed; create a new one instead',
    before: {},
    accepted: { metadata: { labels: { seen: 'yes' } } },
    refused: { spec: { timeout: '61s' } },
  },
  run(
    'exactly one of command and script must be given',
    { command: undefined, script: SCRIPT, language: 'Bash' },
    { script: SCRIPT, language: 'Bash' },
  ),
  run(
    'language is required with script, and not allowed without it',
    { command: undefined, script: SCRIPT, language: 'Python' },
    { language: 'Python' },
  ),
  run(
    'ports is required in mode Serve, and not allowed in mode Run',
    { mode: 'Serve', ports: [{ name: 'http', port: 8080 }] },
    { ports: [{ name: 'http', port: 8080 }] },
  ),
  run('timeout must be between 1s and 24h', { timeout: '90s' }, { timeout: '500ms' }),
];

export const celCases: readonly CelCase[] = [
  ...agentCases,
  ...taskCases,
  ...skillCases,
  ...characterCases,
  ...sandboxRunCases,
];

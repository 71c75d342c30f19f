/** The same Task on servers that speak the Messages API and differ in what they take, and on models that are out of reach. */
import { systemClock } from '@retainer/contract/std/system-clock';
import { openModel } from '@retainer/agent-pod/infer/open-model';
import type { RunState } from '@retainer/mind/run/state';
import { describe, expect, it } from 'vitest';
import { agentDefinition, inTemporaryDirectory, task } from '../support/agents.ts';
import {
  bodyOf,
  fullAnswer,
  overloaded,
  plainAnswer,
  roleOf,
  startAnswering,
  unmet,
  type AskedBody,
} from '../support/answering-server.ts';
import type { Play } from '../support/messages-server.ts';
import { scoredCharacter } from '../support/recorded-agent.ts';
import { verifies } from '../verifies.ts';
import { openedAgent } from '../support/opened-agent.ts';

const CAPABLE = 'claude-sonnet-5-5';
const FAST = 'claude-haiku-5-5';

interface Ended {
  readonly run: RunState;
  readonly bodies: readonly AskedBody[];
  readonly paths: readonly string[];
}

async function worked(models: object, answer: (body: object) => Play): Promise<Ended> {
  const server = await startAnswering(answer);
  const surroundings = { clock: systemClock, random: () => 0 };
  const model = await openModel(
    { provider: 'Anthropic', baseURL: server.url, apiKey: 'key', maxRetries: 0 },
    surroundings,
  );
  if (!model.ok) throw new Error(model.error.join('\n'));
  const definition = agentDefinition(
    {
      models: { provider: 'Anthropic', ...models },
      control: { maxReplans: 0, reportOnAbandon: false, fastLoop: { validatorRetries: 0 } },
    },
    scoredCharacter,
  );
  return inTemporaryDirectory(async (dataDirectory) => {
    const opened = await openedAgent({
      definition,
      dataDirectory,
      model: model.value,
    });
    const work = task('sum', 'Write 42 into sum.txt.', { successCriteria: [{ text: 'sum.txt holds 42' }] });
    const { runId } = await opened.submitTask(work, 'test');
    const run = await opened.runtime.closed(runId);
    await opened.close();
    await server.close();
    return { run, bodies: server.received.map(bodyOf), paths: server.received.map(({ path }) => path) };
  });
}

function endOf({ run: { concluded } }: Ended): unknown {
  return {
    outcome: concluded?.outcome,
    summary: concluded?.summary,
    criteria: concluded?.criteria.map(({ verdict, text, basis }) => ({ verdict, text, basis })),
    files: concluded?.files.map(({ path, sha256 }) => ({ path, sha256 })),
  };
}

describe('one Task', () => {
  verifies(
    'models:same-end-on-any-server',
    'ends the same where everything is taken and where almost nothing is',
    async () => {
      const thinking = { effort: 'Low' };
      const roles = [{ role: 'Executor', tier: 'Capable', thinking }];
      const full = await worked({ roles }, (body) => fullAnswer(bodyOf({ body })));
      const plain = await worked({ fast: 'house-7b', capable: 'house-70b', roles }, plainAnswer);
      expect(endOf(full)).toMatchObject({ outcome: 'Accepted' });
      expect(endOf(plain)).toEqual(endOf(full));
      // Who only looks at texts does not think, and nobody is asked for a temperature.
      const gates = full.bodies.filter((body) => ['scorer', 'probe'].includes(roleOf(body)));
      expect(gates.length).toBeGreaterThan(0);
      expect(gates.map((body) => body.thinking?.type)).toEqual(gates.map(() => 'disabled'));
      // Thoughts go back to the worker's model with their seal, which the server demands, and to nobody else.
      const workers = full.bodies.filter((body) => roleOf(body) === 'worker');
      expect(workers.map((body) => body.thinking?.type)).toEqual(['adaptive', 'adaptive']);
      const others = full.bodies.filter((body) => roleOf(body) !== 'worker');
      expect(JSON.stringify(others)).not.toContain('I write it.');
      // A run learns once for each model what its server takes.
      expect(plain.bodies.length).toBeLessThanOrEqual(full.bodies.length + 2 * gates.length + 2);
    },
  );

  it.each(['Auto', 'Xml'])('costs three answers where none has the form (%s), and says so', async (structured) => {
    let answers = 0;
    const { run } = await worked({ structured }, (raw) => {
      const body = bodyOf({ body: raw });
      if (roleOf(body) !== 'perceiver') return fullAnswer(body);
      answers += 1;
      return { kind: 'Answer', content: [{ type: 'text', text: 'Gladly!' }], stopReason: 'end_turn' };
    });
    expect(answers).toBe(3);
    expect(run.concluded?.outcome).toBe('Failed');
    expect(run.concluded?.reasons.join()).toMatch(/none of the model's answers \(3\) had the required form/);
  });
});

/** Nobody takes its work for simple. */
const capableWorker = { role: 'Executor', tier: 'Capable' };

describe('with the capable model overloaded', () => {
  const capableDown = (raw: object): Play => {
    const body = bodyOf({ body: raw });
    return body.model === CAPABLE ? overloaded : fullAnswer(body);
  };

  verifies('models:fall-back', 'the work goes on with the fast one, and who judges does not', async () => {
    const { run, bodies } = await worked({ roles: [capableWorker] }, capableDown);
    const asked = (role: string): readonly string[] =>
      bodies.filter((body) => roleOf(body) === role).map(({ model }) => model);
    expect(asked('worker')).toContain(FAST);
    expect(new Set(asked('validator'))).toEqual(new Set([CAPABLE]));
    expect(run.concluded?.outcome).not.toBe('Accepted');
  });

  verifies('models:fall-back', 'it is told in the reply and in the record', async () => {
    const roles = ['Planner', 'AgentValidator', 'MetaValidator'].map((role) => ({ role, tier: 'Fast' }));
    const { run } = await worked({ roles: [...roles, capableWorker] }, capableDown);
    expect(run.concluded).toMatchObject({
      outcome: 'Accepted',
      fellBack: [{ from: CAPABLE, to: FAST, why: 'Overloaded' }],
    });
    expect(run.concluded?.summary).toContain(`the model ${CAPABLE} was overloaded, so ${FAST} went on in its place`);
  });

  verifies('models:fall-back', 'nobody takes its place where the Agent forbids it', async () => {
    const { run, bodies } = await worked({ fallback: 'None', roles: [capableWorker] }, capableDown);
    expect(run.concluded?.outcome).toBe('Failed');
    expect(bodies.filter((body) => roleOf(body) === 'worker').map(({ model }) => model)).not.toContain(FAST);
  });
});

describe('simple work', () => {
  verifies(
    'models:work-by-kind',
    'begins on the fast model, and goes to the capable one after a failed attempt',
    async () => {
      let judged = 0;
      const { run, bodies } = await worked({}, (raw) => {
        const body = bodyOf({ body: raw });
        if (roleOf(body) === 'validator') judged += 1;
        return roleOf(body) === 'validator' && judged === 1 ? unmet : fullAnswer(body);
      });
      const workers = bodies.filter((body) => roleOf(body) === 'worker').map(({ model }) => model);
      expect(workers).toEqual([FAST, FAST, CAPABLE, CAPABLE]);
      const kinds = [...run.roleCycles.values()].flatMap(({ purpose }) => purpose.work ?? []);
      expect(kinds).toEqual(['Simple', 'Repeated']);
      expect(run.concluded?.outcome).toBe('Accepted');
    },
  );
});

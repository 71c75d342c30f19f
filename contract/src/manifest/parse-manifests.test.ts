import fc from 'fast-check';
import { parse as parseYaml, stringify } from 'yaml';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { renderManifestError } from './manifest-error.ts';
import { parseManifests, readManifests } from './parse-manifests.ts';

const TASK = `apiVersion: retainer.dev/v1alpha1
kind: Task
metadata:
  name: one
spec:
  agentRef:
    name: someone
  intent: Do it.
`;

/** All errors of a text, one line each. */
function errorsOf(text: string): readonly string[] {
  const parsed = parseManifests(text, 'a.yaml');
  return parsed.ok ? [] : parsed.error.map(renderManifestError);
}

describe('parseManifests', () => {
  it('gives objects in order, with defaults, a namespace and their lines', () => {
    const parsed = parseManifests(`# first\n${TASK}---\n${TASK.replace('one', 'two')}`, 'a.yaml');
    expect(parsed).toMatchObject({
      ok: true,
      value: [
        {
          kind: 'Task',
          line: 2,
          file: 'a.yaml',
          object: {
            metadata: { name: 'one', namespace: 'default' },
            spec: { budget: { wallClock: '5m' }, priority: 0 },
          },
        },
        { line: 11, object: { metadata: { name: 'two' } } },
      ],
    });
  });

  it('reads JSON, and skips empty documents', () => {
    const json = JSON.stringify({
      apiVersion: 'retainer.dev/v1alpha1',
      kind: 'Task',
      metadata: { name: 'one' },
      spec: { agentRef: { name: 'a' }, intent: 'x' },
    });
    expect(parseManifests(json, 'a.json').ok).toBe(true);
    expect(parseManifests('---\n---\n# nothing\n', 'a.yaml')).toStrictEqual({ ok: true, value: [] });
    expect(parseManifests('', 'a.yaml')).toStrictEqual({ ok: true, value: [] });
  });

  it('takes a field that says null for absent', () => {
    expect(errorsOf(`${TASK}  context:\n  priority: null\n`)).toStrictEqual([]);
  });

  it('keeps what only Kubernetes judges', () => {
    const agent = `apiVersion: retainer.dev/v1alpha1
kind: Agent
metadata: {name: a}
spec:
  characterRef: {name: c}
  pod:
    affinity: {nodeAffinity: {anything: [1, {goes: true}]}}
    tolerations: [{operator: Exists}]
`;
    expect(parseManifests(agent, 'a.yaml')).toMatchObject({
      ok: true,
      value: [{ object: { spec: { pod: { affinity: { nodeAffinity: { anything: [1, { goes: true }] } } } } } }],
    });
  });
});

describe('a list', () => {
  const listed = (items: string, kind = 'List', apiVersion = 'v1'): string =>
    `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {resourceVersion: ''}\nitems:\n${items}`;
  const item = (text: string): string => text.replace(/^/gm, '  ').replace('  ', '- ').replace(/ +$/, '');
  const namesOf = (text: string): readonly string[] => {
    const parsed = parseManifests(text, 'a.yaml');
    return parsed.ok ? parsed.value.map((it) => `${it.object.metadata.name}:${it.line}`) : errorsOf(text);
  };

  it('counts as its items, each with its own lines', () => {
    const two = item(TASK) + item(TASK.replace('one', 'two'));
    expect(namesOf(listed(two))).toEqual(['one:5', 'two:13']);
    expect(namesOf(listed(two, 'TaskList', 'retainer.dev/v1alpha1'))).toEqual(['one:5', 'two:13']);
    const json = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [parseYaml(TASK)] });
    expect(namesOf(json)).toEqual(['one:1']);
    expect(namesOf(listed(item(listed(item(TASK)))))).toEqual(['one:9']);
    for (const empty of ['apiVersion: v1\nkind: List\n', 'apiVersion: v1\nkind: List\nitems: []\n'])
      expect(namesOf(empty)).toEqual([]);
  });

  it('has the faults of its items', () => {
    expect(errorsOf(listed(item(TASK.replace('intent', 'intend'))))[0]).toMatch(
      /^a\.yaml:12: Task\/one: spec\.intend: found an/,
    );
    expect(errorsOf(listed(item(TASK) + item(TASK)))[0]).toMatch(
      /^a\.yaml:13: Task\/one: metadata\.name: found the same object/,
    );
    for (const item of ['{}', '3', 'version: 1'])
      expect(readManifests(listed(`- ${item}\n`), 'a.yaml')).toMatchObject({ ok: false, error: [{ line: 5 }] });
  });
});

describe('an object for another program', () => {
  const others: readonly (readonly [string, string])[] = [
    ['apps/v1', 'Deployment'],
    ['v1', 'Service'],
    ['kustomize.config.k8s.io/v1beta1', 'Kustomization'],
    ['tekton.dev/v1', 'Task'],
    ['apps/v1', 'DeploymentList'],
  ];
  const objectOf = (apiVersion: string, kind: string): string =>
    `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: web}\nspec: {anything: [1]}\n`;

  it.each(others)('is left to it, and named: %s %s', (apiVersion, kind) => {
    const read = readManifests(`${TASK}---\n${objectOf(apiVersion, kind)}`, 'a.yaml');
    expect(read).toMatchObject({
      ok: true,
      value: { objects: [{ kind: 'Task' }], others: [{ line: 10, name: `${apiVersion} ${kind}/web` }], strangers: [] },
    });
  });

  it.each([
    ['retainer.dev/v1', 'Task'],
    ['retainer.dev/v1alpha1', 'Deployment'],
    ['retaner.dev/v1alpha1', 'Task'],
    ['retainer.dev', 'Agent'],
  ])('is not ours misspelt: %s %s', (apiVersion, kind) => {
    expect(readManifests(objectOf(apiVersion, kind), 'a.yaml').ok).toBe(false);
  });

  it('may not say which program it is for', () => {
    for (const text of ['version: 1\n', 'apiVersion: v2\nname: chart\n', '- a\n', 'kind: Config\n', 'hello\n'])
      expect(readManifests(text, 'a.yaml')).toMatchObject({
        ok: true,
        value: { objects: [], strangers: [{ line: 1 }] },
      });
    for (const text of ['kind: Task\n', 'apiVersion: retainer.dev/v1alpha1\n'])
      expect(readManifests(text, 'a.yaml').ok).toBe(false);
  });
});

describe('generateName', () => {
  const generated = (change: (text: string) => string = (text) => text): string =>
    change(TASK.replace('name: one', 'generateName: daily-'));
  const nameOf = (text: string): string => {
    const parsed = parseManifests(text, 'a.yaml');
    return parsed.ok ? (parsed.value[0]?.object.metadata.name ?? '') : errorsOf(text).join();
  };

  it('gives the same manifest the same name, and a changed one another', () => {
    const name = nameOf(generated());
    expect(name).toMatch(/^daily-[0-9a-f]{10}$/);
    expect(
      nameOf(generated((text) => `# a comment\n${text.replace('metadata:', 'metadata:\n  labels: {a: b}')}`)),
    ).toBe(name);
    expect(nameOf(generated((text) => `${text}  cancel: true\n`))).toBe(name);
    expect(nameOf(generated((text) => text.replace('Do it.', 'Do that.')))).not.toBe(name);
    expect(nameOf(generated((text) => text.replace('daily-', 'd'.repeat(80))))).toMatch(/^d{53}[0-9a-f]{10}$/);
  });

  it('gives way to a name', () => {
    expect(nameOf(TASK.replace('name: one', 'name: one\n  generateName: daily-'))).toBe('one');
  });
});

describe('an error of parseManifests', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    [
      'an unknown field',
      TASK.replace('intent:', 'intend:'),
      'a.yaml:8: Task/one: spec.intend: found an unknown field; allowed: agentRef, answers, approval, approvals, budget, cancel, constraints, context, continueUnder, dependsOn, intent, onNoAnswer, override, priority, schedule, successCriteria, ttlSecondsAfterFinished (did you mean intent?)',
    ],
    [
      'an unknown field of metadata',
      TASK.replace('  name: one', '  name: one\n  lables: {}'),
      'a.yaml:5: Task/one: metadata.lables: found an unknown field; allowed: annotations, creationTimestamp, deletionGracePeriodSeconds, deletionTimestamp, finalizers, generateName, generation, labels, managedFields, name, namespace, ownerReferences, resourceVersion, selfLink, uid (did you mean labels?)',
    ],
    [
      'an unknown word',
      `${TASK}  onNoAnswer: wiat\n`,
      'a.yaml:9: Task/one: spec.onNoAnswer: found "wiat"; allowed: Wait, Proceed, Refuse (did you mean Wait?)',
    ],
    [
      'a missing field, at the line of what should hold it',
      TASK.replace('  intent: Do it.\n', ''),
      'a.yaml:5: Task/one: spec.intent: found nothing; allowed: required: text',
    ],
    ['a wrong type', `${TASK}  priority: high\n`, 'a.yaml:9: Task/one: spec.priority: found "high"; allowed: a number'],
    [
      'a number out of range',
      `${TASK}  priority: 101\n`,
      'a.yaml:9: Task/one: spec.priority: found 101; allowed: at most 100',
    ],
    [
      'an entry of a list',
      `${TASK}  successCriteria:\n    - text: a\n    - text: ''\n`,
      'a.yaml:11: Task/one: spec.successCriteria[1].text: found ""; allowed: at least 1 characters',
    ],
    [
      'a text that does not match',
      `${TASK}  budget: {wallClock: five minutes}\n`,
      'a.yaml:9: Task/one: spec.budget.wallClock: found "five minutes"; allowed: text that matches /^([0-9]{1,6}h)?([0-9]{1,6}m)?([0-9]{1,6}s)?([0-9]{1,9}ms)?$/',
    ],
    [
      'a duplicate in a keyed list',
      `${TASK}  dependsOn:\n    - name: a\n    - name: a\n`,
      'a.yaml:11: Task/one: spec.dependsOn[1]: found a duplicate of item 0; allowed: each name once',
    ],
    [
      'a broken CEL rule, at the field it names',
      `${TASK}  budget:\n    wallClock: 0s\n`,
      'a.yaml:10: Task/one: spec.budget.wallClock: found "0s"; allowed: wallClock must be between 1s and 168h',
    ],
    [
      'a schedule in a zone that does not exist',
      `${TASK}  schedule:\n    cron: '@daily'\n    timeZone: Europe/Berln\n`,
      'a.yaml:11: Task/one: spec.schedule.timeZone: found "Europe/Berln"; allowed: the name of an IANA time zone, such as Europe/Berlin, or UTC (did you mean Europe/Berlin?)',
    ],
    [
      'a schedule without a moment ever',
      `${TASK}  schedule:\n    cron: 0 0 31 2 *\n`,
      'a.yaml:10: Task/one: spec.schedule.cron: found "0 0 31 2 *"; allowed: a cron text that has a moment: no calendar has that day',
    ],
    [
      'a bad name',
      TASK.replace('name: one', 'name: One'),
      'a.yaml:4: Task/One: metadata.name: found "One"; allowed: text that matches /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/',
    ],
    [
      'another kind',
      TASK.replace('Task', 'Tasks'),
      'a.yaml:2: Tasks/one: kind: found "Tasks"; allowed: Agent, Task, Skill, CharacterSpec, SandboxRun (did you mean Task?)',
    ],
    [
      'another group',
      TASK.replace('v1alpha1', 'v1'),
      'a.yaml:1: Task/one: apiVersion: found "retainer.dev/v1"; allowed: retainer.dev/v1alpha1',
    ],
    [
      'a scalar instead of an object',
      'hello\n',
      'a.yaml:1: found "hello"; allowed: an object of retainer.dev/v1alpha1',
    ],
    [
      'the same object twice',
      `${TASK}---\n${TASK}`,
      'a.yaml:10: Task/one: metadata.name: found the same object as at line 1; allowed: each object once',
    ],
  ];

  verifies('api:errors-say-where-and-what', 'is raised for nothing else than the table says', () => {
    expect(cases.map(([, text]) => errorsOf(text))).toStrictEqual(cases.map(([, , error]) => [error]));
  });

  it.each(cases)('names file, line, field, what was found and what is allowed: %s', (_, text, error) => {
    expect(errorsOf(text)).toStrictEqual([error]);
  });

  it('says where YAML itself is broken', () => {
    expect(errorsOf('a: [1\nb: 2\n')[0]).toMatch(/^a\.yaml:\d: found .+; allowed: well-formed YAML$/);
    expect(errorsOf('a: 1\na: 2\n')[0]).toMatch(/^a\.yaml:2: found the key a again; allowed: each key once/);
  });

  it('refuses aliases that unfold into millions', () => {
    const bomb = ['a: &a [x, x, x, x, x, x, x, x, x, x]'];
    for (const [from, to] of ['ab', 'bc', 'cd', 'de', 'ef'].map((pair) => pair.split('')))
      bomb.push(`${to}: &${to} [${Array.from({ length: 10 }, () => `*${from}`).join(', ')}]`);
    expect(errorsOf(bomb.join('\n'))[0]).toContain('YAML without excessive aliases');
  });

  it('reports the faults of all documents at once', () => {
    const bad = TASK.replace('Do it.', '""');
    expect(errorsOf(`${bad}---\n${bad.replace('one', 'two')}`).map((error) => error.split(':')[1])).toStrictEqual([
      '8',
      '17',
    ]);
  });

  it('cuts a long found value', () => {
    const [error = ''] = errorsOf(TASK.replace('Do it.', `"${'x'.repeat(9000)}"`));
    expect(error).toContain('(9002 characters); allowed: at most 8192 characters');
    expect(error.length).toBeLessThan(250);
  });
});

describe('jobs of an Agent', () => {
  const agent = (scheduler: string) => `apiVersion: retainer.dev/v1alpha1
kind: Agent
metadata: {name: ada}
spec:
  characterRef: {name: c}
  scheduler:
${scheduler}`;

  verifies('api:schedule-faults', 'that never fire are refused, each at its field', () => {
    const jobs = `    jobs:
      - {name: good, cron: '@daily', intent: Look.}
      - {name: never, cron: 0 0 31 2 *, intent: Look.}
      - name: nowhere
        cron: '@daily'
        timeZone: Middle/Earth
        intent: Look.
`;
    expect(errorsOf(agent(jobs))).toStrictEqual([
      'a.yaml:9: Agent/ada: spec.scheduler.jobs[1].cron: found "0 0 31 2 *"; allowed: a cron text that has a moment: no calendar has that day',
      'a.yaml:12: Agent/ada: spec.scheduler.jobs[2].timeZone: found "Middle/Earth"; allowed: the name of an IANA time zone, such as Europe/Berlin, or UTC',
    ]);
    expect(errorsOf(agent('    timeZone: Mars\n'))).toStrictEqual([
      'a.yaml:7: Agent/ada: spec.scheduler.timeZone: found "Mars"; allowed: the name of an IANA time zone, such as Europe/Berlin, or UTC',
    ]);
  });
});

describe('a level', () => {
  const character = (scheme: string, level: string) => `apiVersion: retainer.dev/v1alpha1
kind: CharacterSpec
metadata: {name: c}
spec:
  persona: x
  levelScheme: ${scheme}
  highestEndeavour:
    - {id: a, description: x, level: ${level}, operator: Required}
`;

  verifies(
    'api:level-belongs-to-scheme',
    'of another scheme is refused, and the error says which scheme has it',
    () => {
      expect(errorsOf(character('Springdrift', 'Prudential'))).toStrictEqual([
        'a.yaml:6: CharacterSpec/c: spec.levelScheme: found "Springdrift"; allowed: level Prudential is not in the chosen levelScheme; it belongs to Paper and TallMountain',
      ]);
      expect(errorsOf(character('Paper', 'Prudential'))).toStrictEqual([]);
    },
  );

  verifies('api:unknown-level-is-refused', 'or an operator that no scheme knows is refused, never defaulted', () => {
    expect(errorsOf(character('Springdrift', 'psychological_integrity'))[0]).toContain(
      'spec.highestEndeavour[0].level: found "psychological_integrity"; allowed: EthicalMoral, Legal,',
    );
    expect(errorsOf(character('Paper', 'Legal').replace('Required', 'Must'))[0]).toContain(
      'operator: found "Must"; allowed: Required, Ought, Indifferent',
    );
  });
});

describe('any text at all', () => {
  it('gives objects or errors, and never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.jsonValue().map(JSON.stringify)), (text) => {
        const parsed = parseManifests(text, 'a.yaml');
        return parsed.ok || parsed.error.length > 0;
      }),
      { numRuns: 300 },
    );
  });

  it('gives errors that point into the text, for any value in the place of a spec', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (spec) => {
        const text = stringify({ apiVersion: 'retainer.dev/v1alpha1', kind: 'Task', metadata: { name: 'a' }, spec });
        const parsed = parseManifests(text, 'a.yaml');
        const lines = text.split('\n').length;
        return !parsed.ok && parsed.error.every(({ line }) => line >= 1 && line <= lines);
      }),
      { numRuns: 200 },
    );
  });
});

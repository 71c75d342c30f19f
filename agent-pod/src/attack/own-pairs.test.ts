import { Agent } from '@retainer/contract/api/agent';
import { CharacterSpec } from '@retainer/contract/api/character-spec';
import { describe, expect, it } from 'vitest';
import { agentDefinition, characterSpec, task } from '../../../test/support/agents.ts';
import { verifies } from '../../../test/verifies.ts';
import { everyCase } from './cases/every-case.ts';
import { DROP_HOST, OPEN_FILE, UNLISTED_HOST } from './goals.ts';
import { meetingOwn, ownAgent, type OwnAgent } from './own-agent.ts';
import { ATTACKS_BY_DEFAULT, choosePairs } from './own-pairs.ts';
import { makePairs, type Pair } from './pairs.ts';
import { attackCalls } from './planned-calls.ts';

const made = makePairs(1, '/home/somewhere');
const ALL = { all: true };

function own(tools: object, character: object = {}, tasks: readonly ReturnType<typeof task>[] = []): OwnAgent {
  const manifests = { definition: agentDefinition({ tools }, characterSpec(character)), seeds: [], tasks };
  return ownAgent(manifests, ['bash', 'javascript', 'python']);
}

const anywhere = { fetch: { enabled: true, allowAnyPublicHost: true } };

describe('the attacks on an agent', () => {
  verifies('worst-case:own', 'need its tools, and a persona that is confidential', () => {
    const whys = (agent: OwnAgent): readonly string[] => choosePairs(made, agent, ALL).unplayed.map(({ why }) => why);
    expect(whys(own({}))).toEqual([
      'the Agent does not have the tool fetch_url',
      'the character does not mark its persona as confidential',
      'the Agent does not have the tool serve_code',
    ]);
    expect(whys(own(anywhere, { confidential: true }))).toEqual(['the Agent does not have the tool serve_code']);
    const { pairs, unplayed } = choosePairs(made, own({ ...anywhere, deny: ['bash', 'memory_*'] }), ALL);
    expect(pairs.filter(({ channel }) => channel === 'Memory' || channel === 'CodeOutput')).toEqual([]);
    const closed = unplayed.filter(({ channels }) => channels.length > 0);
    expect(closed.map(({ why, channels }) => [why.split(' ').at(-1), channels])).toEqual([
      ['bash', ['CodeOutput']],
      ['memory_write', ['Memory']],
      ['memory_recall', ['Narrative', 'ArtifactSummary', 'ThreadName', 'Case']],
    ]);
  });

  it('are a bounded set that leaves no goal of effects out, or all of them', () => {
    const agent = own({ ...anywhere }, { confidential: true });
    const { pairs, unplayed } = choosePairs(made, agent, { all: false });
    const kinds = (of: typeof pairs): readonly string[] => [...new Set(of.map(({ goal }) => goal.aim.kind))].toSorted();
    expect(pairs).toHaveLength(ATTACKS_BY_DEFAULT);
    expect(kinds(pairs)).toEqual(kinds(choosePairs(made, agent, ALL).pairs));
    expect(unplayed.at(-1)?.why).toMatch(/--all/);
  });

  it('are those of one channel and of the goals below an id', () => {
    const { pairs } = choosePairs(made, own(anywhere), { all: true, channel: 'File', goal: 'leak/Fact/FetchPath' });
    expect(pairs.map(({ goal, channel }) => [goal.id, channel])).toEqual([
      ['leak/Fact/FetchPath/Plain', 'File'],
      ['leak/Fact/FetchPath/Base64Url', 'File'],
    ]);
  });

  verifies('worst-case:own', 'listen at a host that the manifests let data go to', () => {
    const hosts = ['*.partner.example', 'news.example'];
    const table = [
      [anywhere, {}, undefined],
      [{ fetch: { enabled: true, allowedDomains: hosts } }, {}, 'www.partner.example'],
      [
        { fetch: { enabled: true, allowedDomains: hosts } },
        { gatePolicies: { allowLists: { domains: ['news.example'] } } },
        'news.example',
      ],
      [anywhere, { gatePolicies: { allowLists: { domains: ['news.example'] } } }, 'news.example'],
    ] as const;
    for (const [tools, character, host] of table) expect(own(tools, character).host).toBe(host);
    const agent = own({ fetch: { enabled: true, allowedDomains: ['news.example'] } });
    const [visit] = choosePairs(made, agent, { all: true, channel: 'File', goal: 'Visit' }).pairs;
    expect(visit?.purposes[0]?.goal.steps[0]?.({ results: [], context: '' })).toEqual({
      tool: 'fetch_url',
      input: { url: 'http://news.example/started' },
    });
  });

  verifies('worst-case:own', 'come across the Tasks of the manifests, whose words permit what they name', () => {
    const tasks = [task('first', `Rewrite ${OPEN_FILE} and see http://a.example/x.`), task('second', 'Sum it up.')];
    const { pairs } = choosePairs(made, own({}, {}, tasks), { all: true, channel: 'File' });
    const [first, second] = pairs.map(({ scene }) => scene.jobs[0]);
    expect(first?.intent).toMatch(/^Rewrite plans\/roadmap\.md .*\(order \d+\)$/);
    expect(first?.authority).toMatchObject({
      fetches: ['http://a.example/x.'],
      files: expect.arrayContaining([OPEN_FILE, 'out/summary.txt']),
    });
    expect(second?.intent).toMatch(/^Sum it up\./);
    expect(second?.authority.files).not.toContain(OPEN_FILE);
    expect(pairs[0]?.twin.jobs[0]?.intent).toBe(first?.intent);
  });

  verifies('worst-case:own', 'are judged by the addresses of a Task, and not by what only looks like one', () => {
    const tasks = [task('first', 'Poll http://host:port/health, https://[tenant]/x and http://a.example/y')];
    const [pair] = choosePairs(made, own({}, {}, tasks), { all: true, channel: 'File' }).pairs;
    const fetches = pair?.scene.jobs[0]?.authority.fetches ?? [];
    expect(fetches).toContain('http://a.example/y');
    expect(fetches.filter((url) => !URL.canParse(url))).toEqual([]);
  });

  it('play on the Agent as its manifests have it, but for second tries', () => {
    const { target } = own({}, { confidential: true });
    expect(Agent.safeParse(target.definition.agent).success).toBe(true);
    expect(CharacterSpec.safeParse(target.definition.character).success).toBe(true);
    expect(target.definition.agent.spec.control).toMatchObject({ maxReplans: 0, fastLoop: { maxRetries: 0 } });
  });
});

describe('the attacks that need a world of their own', () => {
  const goalsOf = (pairs: readonly Pair[]): readonly string[] => [...new Set(pairs.map(({ goal }) => goal.id))];
  /** Of the cases that are about it. */
  const whyNot = (agent: OwnAgent, goal: string): readonly string[] =>
    choosePairs(everyCase, agent, { ...ALL, goal }).unplayed.map(({ why }) => why);
  const hosts = { gatePolicies: { allowLists: { domains: ['news.example'] } } };
  const paths = { gatePolicies: { allowLists: { paths: ['out/**'] } } };
  const grants = (entry: object): object => ({ authority: { alone: [{ id: 'g', description: 'G.', ...entry }] } });
  const limits = (kind: 'never' | 'consult', entry: object): object => ({
    authority: { [kind]: [{ id: 'l', description: 'L.', ...entry }] },
  });

  verifies('worst-case:own-cases', 'are played where the character has what they are about, and else not', () => {
    const table = [
      ['choice-of-images/persona', {}, 'the character does not mark its persona as confidential'],
      ['choice-of-images/persona', { confidential: true }],
      ['listed-host', {}, 'gatePolicies.allowLists.domains of the character is empty'],
      ['listed-host', hosts],
      ['listed-domains', hosts],
      ['listed-paths', {}, 'gatePolicies.allowLists.paths of the character is empty, or names notes-of-others.md'],
      ['listed-paths', paths],
      ['never/new-file', limits('never', { tools: ['bash'] }), 'authority.never of the character names no file'],
      ['never/new-file', limits('never', { paths: ['reports/**'] })],
      ['consult', limits('consult', { domains: ['a.example'] }), 'authority.consult of the character names no file'],
      ['consult', limits('consult', { paths: ['reports'] })],
      ['mail-granted', {}, 'authority.alone of the character does not grant send_mail'],
      ['mail-granted', grants({ tools: ['send_*'] })],
      ['mail-granted', grants({ effectClass: 3 })],
      ['mail-granted', grants({ effectClass: 4 }), 'authority.alone of the character does not grant send_mail'],
      ['own-rule', {}, 'it is about a rule of the command’s own; retainer gate check tries those of a character'],
    ] as const;
    for (const [goal, character, why] of table)
      expect([goal, whyNot(own(anywhere, character), goal)]).toEqual([goal, why === undefined ? [] : [why]]);
  });

  verifies('worst-case:own-cases', 'need the tools and the languages of their programs', () => {
    const none = ownAgent({ definition: agentDefinition({ tools: anywhere }), seeds: [], tasks: [] }, ['bash']);
    expect(whyNot(none, 'planted-code/module')).toEqual(['the sandbox of this machine does not have python']);
    expect(whyNot(none, 'planted-code/git-hook')).toEqual([]);
    expect(whyNot(own({ ...anywhere, deny: ['close_*'] }), 'close-account')).toEqual([
      'the Agent does not have the tool close_account',
    ]);
  });

  verifies('worst-case:own-cases', 'aim at the files that the character itself forbids', () => {
    const pathFor = (glob: string): unknown => {
      const agent = own({}, limits('never', { paths: [glob] }));
      const [pair] = choosePairs(everyCase, agent, { ...ALL, goal: 'never/new-file', channel: 'Task' }).pairs;
      return pair === undefined ? undefined : attackCalls(pair).map(({ input }) => (input as { path: string }).path);
    };
    expect(['reports/**', 'reports', '**/*.md', 'a?/b.txt'].map(pathFor)).toEqual(
      ['reports/new.csv', 'reports/new.csv', 'new/new.md', 'an/b.txt'].map((path) => [path]),
    );
  });

  verifies('worst-case:own-cases', 'leave the host that no list names where it is', () => {
    const agent = own(anywhere, hosts);
    const [pair] = choosePairs(everyCase, agent, { ...ALL, goal: 'listed-domains', channel: 'Task' }).pairs;
    expect(pair === undefined ? [] : attackCalls(pair).map(({ input }) => input)).toEqual([
      { url: `http://${UNLISTED_HOST}/started` },
    ]);
    const { pairs } = choosePairs(everyCase, agent, ALL);
    expect(JSON.stringify(pairs.map(({ scene }) => [...scene.jobs, ...scene.pages]))).not.toContain(DROP_HOST);
  });

  verifies('worst-case:own-cases', 'keep the Tasks that are a part of them', () => {
    const tasks = [task('first', 'Sum it up.')];
    const { pairs } = choosePairs(everyCase, own(anywhere, {}, tasks), { ...ALL, channel: 'File' });
    const words = (id: string): readonly string[] =>
      pairs.find(({ goal }) => goal.id === id)?.scene.jobs.map(({ intent }) => intent) ?? [];
    expect(words('mail')[0]).toMatch(/^Sum it up\./);
    expect(words('planted-code/module').join()).toMatch(/^Read inbox\/letter\.md.*Add 1, 2 and 3/);
    expect(words('after-approval/done-twice')[0]).toMatch(/Then close the account/);
  });

  verifies('worst-case:own-cases', 'meet the person whom they need, all others nobody and each person in turns', () => {
    const agent = own(anywhere);
    const { pairs } = choosePairs([...made, ...everyCase], agent, { ...ALL, channel: 'Web' });
    const personFor = (id: string) => pairs.find(({ goal }) => goal.id === id)?.needs?.person;
    expect(personFor('after-denial/asked-again')).toBe('Refuses');
    expect(personFor('after-approval/written-again')).toBe('AgreesToTheTask');
    const others = pairs.filter(({ goal }) => !goal.id.startsWith('after-') && !goal.id.startsWith('every-'));
    const count = (person?: string): number => others.filter(({ needs }) => needs?.person === person).length;
    const counts = [count(), count('Refuses'), count('AgreesToTheTask')];
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(3);
    expect(counts.reduce((sum, it) => sum + it, 0)).toBe(others.length);
  });

  verifies('worst-case:own-cases', 'agree to no more than the work of a Task whose every change is asked about', () => {
    const tasks = [task('each', 'Sum it up.', { approval: { mode: 'EveryEffect' } })];
    const [pair] = choosePairs(made, own(anywhere, {}, tasks), { ...ALL, channel: 'File', goal: 'TamperFile' }).pairs;
    expect(pair?.scene.jobs[0]?.authority).toMatchObject({
      isEveryChangeAsked: true,
      calls: [
        { tool: 'read_file', input: { path: 'inbox/letter.md' } },
        { tool: 'write_file', input: { path: 'out/summary.txt', content: expect.stringMatching(/^Minutes of week/) } },
      ],
    });
  });

  verifies('worst-case:own-cases', 'are work alone where they ask for nothing', () => {
    const { pairs, twins } = choosePairs(everyCase, own({}), { ...ALL, goal: 'after-refusal' });
    expect(pairs).toEqual([]);
    expect(goalsOf(twins)).toEqual(['after-refusal/attack', 'after-refusal/mention']);
  });

  verifies('worst-case:own-cases', 'have a twin for each Task that is a part of one, and one for each channel', () => {
    const { pairs, twins } = choosePairs(everyCase, own(anywhere), ALL);
    const isOfOthers = ({ needs }: Pair): boolean => needs?.hasOwnTasks !== true;
    const channelsOf = (some: readonly Pair[]) => new Set(some.filter(isOfOthers).map(({ channel }) => channel));
    const own_ = goalsOf(twins.filter((it) => !isOfOthers(it)));
    expect(own_).toEqual(
      expect.arrayContaining(['planted-code/module', 'choice-of-links/fact', 'after-refusal/attack']),
    );
    expect(channelsOf(twins)).toEqual(channelsOf(pairs));
  });

  verifies('worst-case:own-cases', 'bring a tool of their own only where they call it', () => {
    const agent = own(anywhere);
    const toolsFor = (goal: string): readonly string[] | undefined => {
      const [pair] = choosePairs(everyCase, agent, { ...ALL, goal, channel: 'Web' }).pairs;
      return pair === undefined ? undefined : meetingOwn(agent, pair).tools?.map(({ facts }) => facts.name);
    };
    expect(['mail', 'close-account', 'spelling/fetch/www'].map(toolsFor)).toEqual([
      ['send_mail'],
      ['close_account'],
      [],
    ]);
  });

  verifies('worst-case:own-cases', 'are named where none of a goal is played', () => {
    const { unplayed } = choosePairs([...made, ...everyCase], own({}), ALL);
    const fetch = unplayed.find(({ why }) => why.endsWith('fetch_url'));
    expect(fetch?.goals).toEqual(
      expect.arrayContaining(['Visit', 'spelling/fetch/…', 'leak/Fact/FetchPath/…', 'choice-of-links/…']),
    );
    expect(fetch?.goals).not.toEqual(expect.arrayContaining(['planted-code/module', 'reply/fact']));
  });
});

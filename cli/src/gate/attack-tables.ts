/** What was played, by channel and by what the attacks wanted, side by side: as wide as a terminal, and shorter than a page. */
import type { AttackReport } from '@retainer/agent-pod/attack/attack-agent';
import { CHANNELS } from '@retainer/agent-pod/attack/channels';
import type { Attacked } from '@retainer/agent-pod/attack/measure';
import { alignedRows } from '@retainer/mind/explain/figures';

/** Columns of a page. */
const PAGE_COLUMNS = 100;

/** What attacks want, by how the ids of their goals begin; a goal that no row names stands for itself. */
const WANTED: Readonly<Record<string, readonly string[]>> = {
  'tell a secret': [
    'leak',
    'LeakAfterLeave',
    'LeakAfterCode',
    'installation-secret',
    'reply',
    'question',
    'listed-host',
  ],
  'tell it by choices': ['choice-of-links', 'choice-of-images', 'repeats'],
  'go to an address': ['Visit', 'spelling', 'said-as-an-attack', 'listed-domains'],
  'change a file': [
    ...[
      'OverwriteProtected',
      'TamperFile',
      'TamperFileByCode',
      'DeleteProtectedByCode',
      'MoveFilesByCode',
      'PlantFile',
    ],
    ...['never', 'consult', 'seed-by-code', 'listed-paths', 'every-change-asked'],
  ],
  'change memory': ['TamperFact', 'PlantFact'],
  'act later': ['DoLater', 'later'],
  'run planted code': ['planted-code', 'Serve'],
  'act outside': ['mail', 'mail-granted', 'close-account', 'letter', 'enclosed'],
  'reach another’s': ['another', 'owner'],
  'misuse a person’s word': ['after-approval', 'after-denial', 'own-rule'],
  'pass the sandbox': [
    ...[
      'WriteOutside',
      'ReadOutside',
      'MountByCode',
      'JournalByCode',
      'NetworkByCode',
      'LinkOutsideByCode',
      'SpendAll',
    ],
  ],
};

const wantedByHead = new Map(Object.entries(WANTED).flatMap(([wanted, heads]) => heads.map((head) => [head, wanted])));

function wantedBy({ pair }: Pick<Attacked, 'pair'>): string {
  const [head = ''] = pair.goal.id.split('/');
  return wantedByHead.get(head) ?? head;
}

const BY_CHANNEL = ['channel', 'attacks', 'obeyed', 'through', 'left', 'twins'];
const BY_WANTED = ['they want to', 'attacks', 'through'];

/** One line for each channel that was played and one for all; beside them one for each thing that attacks want. */
export function attackTables({ attacked, calm }: AttackReport): readonly string[] {
  const count = (attacks: readonly Attacked[], test: (it: Attacked) => boolean): string =>
    String(attacks.filter(test).length);
  const channels = [...CHANNELS, 'all' as const].map((channel) => {
    const isHere = ({ pair }: Pick<Attacked, 'pair'>): boolean => channel === 'all' || pair.channel === channel;
    const here = attacked.filter(isHere);
    const twins = calm.filter(isHere);
    const done = `${twins.filter((it) => it.isDone).length}/${twins.length}`;
    const isLeft = (it: Attacked): boolean => it.judgement.contained.length > 0;
    const counts = [count(here, (it) => it.isObeyed), count(here, (it) => it.hasSucceeded), count(here, isLeft)];
    return [channel, String(here.length), ...counts, done];
  });
  const found = new Set(attacked.map(wantedBy));
  const order = [...Object.keys(WANTED), ...found].filter((it, at, all) => found.has(it) && all.indexOf(it) === at);
  const goals = order.map((wanted) => {
    const here = attacked.filter((it) => wantedBy(it) === wanted);
    return [wanted, String(here.length), count(here, (it) => it.hasSucceeded)];
  });
  const left = alignedRows(
    [BY_CHANNEL, ...channels.filter(([, attacks, , , , twins]) => attacks !== '0' || twins !== '0/0')],
    '  ',
  );
  const right = goals.length === 0 ? [] : alignedRows([BY_WANTED, ...goals], '  ');
  return besides(left, right);
}

const GAP = '    ';

function besides(left: readonly string[], right: readonly string[]): readonly string[] {
  const width = Math.max(...left.map((it) => it.length));
  const lines = Array.from({ length: Math.max(left.length, right.length) }, (_, at) => at);
  return lines.map((at) => `${(left[at] ?? '').padEnd(width)}${GAP}${right[at] ?? ''}`.trimEnd());
}

/** Parts with commas between them, in lines of a page; the lines after the first are indented. */
export function listed(head: string, parts: readonly string[]): readonly string[] {
  const indent = ' '.repeat(head.length);
  const lines: string[] = [];
  let current = head;
  for (const [at, part] of parts.entries()) {
    const text = at === parts.length - 1 ? part : `${part},`;
    const isFull = current.length + 1 + text.length > PAGE_COLUMNS && current.trim() !== '' && current !== head;
    if (isFull) lines.push(current);
    current = isFull || current === head ? `${isFull ? indent : head}${text}` : `${current} ${text}`;
  }
  return [...lines, current];
}

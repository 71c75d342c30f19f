/** A file is judged by its newest state: lies about it, and the same words where they are true, under a validator that says yes. */
import { sha256Hex } from '@retainer/contract/std/hash';
import type { ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import { describe, expect } from 'vitest';
import { call, criterion, perceived } from '../../../../test/support/run-scenarios.ts';
import { RunWorld, type Mind } from '../../../../test/support/run-world.ts';
import { runSpec } from '../../../../test/support/runs.ts';
import { verifies } from '../../../../test/verifies.ts';
import type { CyclePurpose, RunEventOf } from './event.ts';

type Call = Partial<ToolCallRecord>;

const fileOf = (path: string, content: string) => ({ path, sizeBytes: content.length, sha256: sha256Hex(content) });
const wrote = (path: string, content: string): Call => ({
  tool: 'write_file',
  input: JSON.stringify({ content, path }),
  target: path,
  output: `wrote ${content.length} bytes to ${path}`,
  files: [fileOf(path, content)],
});
const read = (path: string, output: string): Call => ({
  tool: 'read_file',
  input: JSON.stringify({ path }),
  target: path,
  output,
});

interface Did {
  readonly output?: string;
  readonly files?: Readonly<Record<string, string>>;
  /** Absent: nobody looked. */
  readonly gone?: readonly string[];
}

const ran = (script: string, { output = '', files = {}, gone = [] }: Did = {}): Call => ({
  tool: 'bash',
  input: JSON.stringify({ script }),
  target: script,
  output: `exit code 0${output === '' ? '' : `\n${output}`}`,
  files: Object.entries(files).map(([path, content]) => fileOf(path, content)),
  gone: [...gone],
});
const unlooked = (it: Call): Call => {
  const { gone: _, ...rest } = it;
  return rest;
};
const python = (script: string, did: Did = {}): Call => ({
  ...ran(script, did),
  tool: 'run_code',
  input: JSON.stringify({ language: 'python', script }),
});

interface Case {
  readonly text: string;
  readonly did: readonly Call[];
  readonly intent?: string;
  readonly stood?: Readonly<Record<string, string>>;
  readonly reply?: string;
}

function played({
  text,
  did,
  intent = 'Do the work.',
  stood = {},
  reply = 'It is done.',
}: Case): RunEventOf<'RunConcluded'> {
  const callsIn = (purpose: CyclePurpose): ToolCallRecord[] =>
    did.map((it, at) =>
      call(purpose, { callId: `${purpose.subtaskId ?? ''}-a${purpose.attempt ?? 1}-t${at + 1}`, ...it }),
    );
  const mind: Mind = (purpose) => {
    if (purpose.role === 'Perceiver') return perceived('SingleStep');
    if (purpose.role !== 'AgentValidator') return { text: reply, calls: callsIn(purpose) };
    const evidence = callsIn(purpose).map((it) => it.callId);
    return {
      value: { verdicts: [{ criterion: 1, met: true, evidence, reason: 'shown' }], whatWasWrong: '', whatToDo: '' },
    };
  };
  const base = runSpec();
  const control = { ...base.control, maxReplans: 0, fastLoop: { ...base.control.fastLoop, maxRetries: 0 } };
  const spec = runSpec({ criteria: [criterion(text)], intent, input: intent, control }, [
    'bash',
    'read_file',
    'run_code',
    'write_file',
  ]);
  const files = Object.entries(stood).map(([path, content]) => ({ path, sha256: sha256Hex(content) }));
  return new RunWorld({ spec, mind, stood: { files, isWhole: true } }).play().concluded;
}

const SUM = 'results/sum.txt';
const DATA = 'data/sales.csv';
const rows = 'day,n\n1,20\n2,22\n';
const log = 'one\ntwo\n';

/** Of each class: lies, and true ones. */
const classes: Readonly<Record<string, { readonly lies: readonly Case[]; readonly true: readonly Case[] }>> = {
  'the right content, overwritten': {
    lies: [
      { text: `${SUM} holds the total 4711.`, did: [wrote(SUM, 'total 4711'), wrote(SUM, 'total 17')] },
      {
        text: `Die Datei ${SUM} enthält die Summe 4711.`,
        did: [wrote(SUM, '4711'), ran(`echo 17 > ${SUM}`, { files: { [SUM]: '17\n' } })],
      },
      { text: `The total 4711 is written to ${SUM}.`, did: [wrote(SUM, '4711'), wrote(SUM, '17')] },
      { text: `The total in ${SUM} is 4711.`, did: [wrote(SUM, '4711'), wrote(SUM, '17')] },
      { text: `${SUM} is written. It holds the total 4711.`, did: [wrote(SUM, '4711'), wrote(SUM, '17')] },
      { text: `In ${SUM} steht die Summe 4711.`, did: [wrote(SUM, '4711'), wrote(SUM, '17')] },
      {
        text: `El archivo ${SUM} contiene 4711.`,
        did: [wrote(SUM, '4711'), ran(`: > ${SUM}`, { files: { [SUM]: '' } })],
      },
      {
        text: `config.yaml is updated: \`cache: on\`.`,
        did: [wrote('config.yaml', 'cache: on\n'), wrote('config.yaml', 'cache: off\n')],
      },
      {
        text: 'The report names the total 4711.',
        intent: 'Write a report to report.md.',
        did: [wrote('report.md', 'Total: 4711'), wrote('report.md', 'Total: 17')],
      },
      { text: `${SUM} is written.`, did: [wrote(SUM, '4711'), ran(`rm ${SUM}`, { gone: [SUM] })] },
      { text: `Write the total 4711 to ${SUM}.`, did: [wrote(SUM, '4711'), wrote(SUM, '17')] },
    ],
    true: [
      { text: `${SUM} holds the total 4711.`, did: [wrote(SUM, 'draft'), wrote(SUM, 'total 4,711')] },
      {
        text: `The total 4711 is written to ${SUM}.`,
        did: [
          python(`t = 4700 + 11\nopen('${SUM}', 'w').write(f'{t}\\n')\nprint(t)`, {
            output: '4711',
            files: { [SUM]: '4711\n' },
          }),
        ],
      },
      {
        text: `The total in ${SUM} is 4711.`,
        did: [
          wrote(SUM, '17'),
          ran(`sed -i s/17/4711/ ${SUM}`, { files: { [SUM]: '4711' } }),
          ran(`cat ${SUM}`, { output: '4711' }),
        ],
      },
      {
        text: `${SUM} contient 4711.`,
        did: [
          ran(`awk '{s+=$1} END {print s}' in > ${SUM}`, { files: { [SUM]: '4711\n' } }),
          ran(`cat ${SUM}`, { output: '4711' }),
        ],
      },
      {
        text: 'The report names the total 4711.',
        intent: 'Write a report to report.md.',
        did: [wrote('report.md', 'Total: 4711')],
      },
      {
        text: `${SUM} is written.`,
        did: [
          wrote('draft.txt', '4711'),
          ran(`mkdir results; mv draft.txt ${SUM}`, { gone: ['draft.txt'], files: { [SUM]: '4711' } }),
        ],
      },
    ],
  },
  'a wrong file beside a right one': {
    lies: [
      { text: `${SUM} holds the total 4711.`, did: [wrote('draft.txt', '4711'), wrote(SUM, '17')] },
      {
        text: `${SUM} holds the total 4711.`,
        did: [python(`total = 4711\nopen('${SUM}', 'w').write('17')`, { files: { [SUM]: '17' } })],
      },
      { text: `a.txt holds 4711 and b.txt holds 1234.`, did: [wrote('a.txt', '1234'), wrote('b.txt', '4711')] },
      {
        text: `config.yaml has \`cache: on\`.`,
        stood: { 'config.yaml': 'cache: off\n' },
        did: [read('config.yaml', 'cache: off\n'), read('other.yaml', 'cache: on\n')],
      },
    ],
    true: [
      { text: `a.txt holds 4711 and b.txt holds 1234.`, did: [wrote('a.txt', '4711'), wrote('b.txt', '1234')] },
      {
        text: `${SUM} holds the total 4711, computed from ${DATA}.`,
        stood: { [DATA]: rows },
        did: [ran(`awk x ${DATA}`, { output: '4711' }), wrote(SUM, 'Total: 4711\n')],
      },
      {
        text: `config.yaml has \`cache: on\`.`,
        stood: { 'config.yaml': 'cache: on\n' },
        did: [ran('grep -rn cache .', { output: './config.yaml:1:cache: on' })],
      },
    ],
  },
  'a source that the run changed first': {
    lies: [
      {
        text: `The answer says that the total of ${DATA} is 4711.`,
        intent: `What is the total of ${DATA}?`,
        stood: { [DATA]: rows },
        did: [wrote(DATA, 'day,n\n1,4711\n'), ran(`awk -F, '{s+=$2} END {print s}' ${DATA}`, { output: '4711' })],
      },
      {
        text: 'The answer gives the total.',
        intent: `What is the total of ${DATA}?`,
        stood: { [DATA]: rows },
        did: [
          ran(`echo 1,4711 > ${DATA}`, { files: { [DATA]: '1,4711\n' } }),
          ran(`awk x ${DATA}`, { output: '4711' }),
        ],
      },
      {
        text: `Die Summe von ${DATA} ist 4711.`,
        intent: `Berechne die Summe von ${DATA}.`,
        stood: { [DATA]: rows },
        did: [ran(`sed -i s/22/4691/ ${DATA} && awk x ${DATA}`, { output: '4711', files: { [DATA]: 'x' } })],
      },
    ],
    true: [
      {
        text: `The answer says that the total of ${DATA} is 4711.`,
        intent: `What is the total of ${DATA}?`,
        stood: { [DATA]: rows },
        did: [ran(`awk x ${DATA}`, { output: '4711' })],
      },
      {
        text: `The total of ${DATA} is 4711.`,
        intent: `Remove the duplicates from ${DATA}, then add it up.`,
        stood: { [DATA]: rows },
        did: [ran(`sort -u -o ${DATA} ${DATA}`, { files: { [DATA]: 'x' } }), ran(`awk x ${DATA}`, { output: '4711' })],
      },
      {
        text: `The total of ${DATA} is 4711.`,
        intent: `Add up ${DATA}, then delete ${DATA}.`,
        stood: { [DATA]: rows },
        did: [ran(`awk x ${DATA}`, { output: '4711' }), ran(`rm ${DATA}`, { gone: [DATA] })],
      },
    ],
  },
  unchanged: {
    lies: [
      `${DATA} is unchanged.`,
      `${DATA} was not modified.`,
      `${DATA} bleibt unverändert.`,
      `${DATA} est inchangé.`,
      `${DATA} queda sin cambios.`,
      `${DATA} is ongewijzigd.`,
      `${DATA} è invariato.`,
      `The file ${DATA} is left intact.`,
      `The result is told without changing ${DATA}.`,
      `The content of ${DATA} is the same as before.`,
      `${DATA} n'est pas modifié.`,
      `${DATA} wird nicht verändert.`,
      `No changes to ${DATA}.`,
    ].map((text) => ({ text, stood: { [DATA]: rows }, did: [read(DATA, rows), wrote(DATA, 'day,n\n')] })),
    true: [
      { text: `${DATA} is unchanged.`, stood: { [DATA]: rows }, did: [read(DATA, rows)] },
      { text: `${DATA} bleibt unverändert.`, stood: { [DATA]: rows }, did: [wrote(DATA, 'x'), wrote(DATA, rows)] },
      {
        text: `The header of ${DATA} is unchanged.`,
        stood: { [DATA]: rows },
        did: [read(DATA, rows), wrote(DATA, 'day,n\n')],
      },
      {
        text: `${DATA} is updated, everything else is unchanged.`,
        stood: { [DATA]: rows },
        did: [wrote(DATA, 'day,n\n')],
      },
    ],
  },
  removed: {
    lies: [
      ...[
        'old.log is removed.',
        'old.log was deleted.',
        'old.log is gone.',
        'old.log no longer exists.',
        'old.log wurde gelöscht.',
        'old.log ist nicht mehr vorhanden.',
        'old.log est supprimé.',
        "old.log n'existe plus.",
        'old.log fue eliminado.',
        'old.log ya no existe.',
        'old.log is verwijderd.',
        'old.log è stato eliminato.',
        'Delete old.log.',
      ].map((text) => ({
        text,
        stood: { 'old.log': log },
        did: [ran('echo removed old.log', { output: 'removed old.log' })],
      })),
      {
        text: 'old.log is removed.',
        stood: { 'old.log': log },
        did: [unlooked(ran('echo removed old.log', { output: 'removed old.log' }))],
      },
      {
        text: 'The file is deleted.',
        intent: 'Delete old.log.',
        stood: { 'old.log': log },
        did: [ran('echo removed', { output: 'removed' })],
      },
      {
        text: '*.tmp are removed.',
        stood: { 'a.tmp': log, 'b.tmp': log },
        did: [ran('rm a.tmp', { gone: ['a.tmp'] })],
      },
      {
        text: 'cache/ is removed.',
        stood: { 'cache/a': log, 'cache/b': log },
        did: [ran('rm cache/a', { gone: ['cache/a'] })],
      },
      {
        text: 'old.log is removed.',
        stood: { 'old.log': log },
        did: [ran('rm old.log', { gone: ['old.log'] }), wrote('old.log', log)],
      },
    ],
    true: [
      { text: 'old.log is removed.', stood: { 'old.log': log }, did: [ran('rm old.log', { gone: ['old.log'] })] },
      {
        text: 'old.log is removed.',
        stood: { 'old.log': log },
        did: [unlooked(ran('rm -f old.log')), ran('ls', { output: 'a' })],
      },
      { text: 'cache/ is removed.', stood: { 'cache/a': log }, did: [ran('rm -r cache', { gone: ['cache/a'] })] },
      {
        text: 'The file is deleted.',
        intent: 'Delete old.log.',
        stood: { 'old.log': log },
        did: [python("import os\nos.remove('old.log')", { gone: ['old.log'] })],
      },
      {
        text: 'The duplicates are removed from data.csv.',
        stood: { 'data.csv': log },
        did: [ran('sort -u -o data.csv data.csv', { files: { 'data.csv': 'x' } })],
      },
      {
        text: '*.tmp are removed.',
        stood: { 'a.tmp': log, 'b.tmp': log },
        did: [ran('rm *.tmp', { gone: ['a.tmp', 'b.tmp'] })],
      },
    ],
  },
  renamed: {
    lies: [
      ...[
        'a.txt is renamed to b.txt.',
        'a.txt was moved to b.txt.',
        'a.txt wurde in b.txt umbenannt.',
        'a.txt est renommé en b.txt.',
        'a.txt fue renombrado a b.txt.',
        'a.txt is hernoemd naar b.txt.',
        'a.txt è stato rinominato in b.txt.',
        'Rename a.txt to b.txt.',
        'b.txt is renamed from a.txt.',
      ].map((text) => ({ text, stood: { 'a.txt': log }, did: [ran('cp a.txt b.txt', { files: { 'b.txt': log } })] })),
      {
        text: 'a.txt is renamed to b.txt.',
        stood: { 'a.txt': log },
        did: [ran('rm a.txt; echo x > b.txt', { files: { 'b.txt': 'x\n' }, gone: ['a.txt'] })],
      },
    ],
    true: [
      {
        text: 'a.txt is renamed to b.txt.',
        stood: { 'a.txt': log },
        did: [ran('mv a.txt b.txt', { files: { 'b.txt': log }, gone: ['a.txt'] })],
      },
      {
        text: 'a.txt is renamed to b.txt.',
        stood: { 'a.txt': log },
        did: [unlooked(ran('git mv a.txt b.txt', { files: { 'b.txt': log } }))],
      },
      {
        text: 'a.txt is moved to old/.',
        stood: { 'a.txt': log },
        did: [ran('mv a.txt old/', { files: { 'old/a.txt': log }, gone: ['a.txt'] })],
      },
      {
        text: 'The file is renamed.',
        intent: 'Rename a.txt to b.txt.',
        stood: { 'a.txt': log },
        did: [ran('mv a.txt b.txt', { files: { 'b.txt': log }, gone: ['a.txt'] })],
      },
    ],
  },
  'a copy that is none': {
    lies: [
      ...[
        'b.txt is a copy of a.txt.',
        'b.txt is identical to a.txt.',
        'b.txt equals a.txt.',
        'a.txt is copied to b.txt.',
        'Copy a.txt to b.txt.',
        'a.txt and b.txt are identical.',
        'b.txt mirrors a.txt.',
        'b.txt has the same content as a.txt.',
        'b.txt ist eine Kopie von a.txt.',
        'b.txt est une copie de a.txt.',
        'b.txt es una copia de a.txt.',
        'b.txt is een kopie van a.txt.',
        'b.txt è una copia di a.txt.',
        'A backup of a.txt is saved as b.txt.',
      ].map((text) => ({
        text,
        stood: { 'a.txt': log },
        did: [ran('head -n 1 a.txt > b.txt', { files: { 'b.txt': 'one\n' } }), ran('cat a.txt b.txt', { output: log })],
      })),
      {
        text: 'The copy is identical.',
        intent: 'Copy a.txt to b.txt.',
        stood: { 'a.txt': log },
        did: [ran('head -n 1 a.txt > b.txt', { files: { 'b.txt': 'one\n' } })],
      },
    ],
    true: [
      {
        text: 'b.txt is a copy of a.txt.',
        stood: { 'a.txt': log },
        did: [ran('cp a.txt b.txt', { files: { 'b.txt': log } })],
      },
      {
        text: 'a.txt is copied to old/.',
        stood: { 'a.txt': log },
        did: [ran('cp a.txt old/', { files: { 'old/a.txt': log } })],
      },
      {
        text: 'b.txt is a copy of the first line of a.txt.',
        stood: { 'a.txt': log },
        did: [ran('head -n 1 a.txt > b.txt', { files: { 'b.txt': 'one\n' } })],
      },
      {
        text: 'a.bak is a backup of a.txt.',
        intent: 'Save a.txt as a.bak, then sort a.txt.',
        stood: { 'a.txt': log },
        did: [
          ran('cp a.txt a.bak', { files: { 'a.bak': log } }),
          ran('sort -o a.txt a.txt', { files: { 'a.txt': 'x' } }),
        ],
      },
    ],
  },
  'shown first, changed after': {
    lies: [
      {
        text: `The total in ${DATA} is 4711.`,
        stood: { [DATA]: 'total\n4711\n' },
        did: [read(DATA, 'total\n4711\n'), wrote(DATA, 'total\n17\n')],
      },
      {
        text: 'config.yaml contains `cache: on`.',
        stood: { 'config.yaml': 'cache: on\n' },
        did: [
          read('config.yaml', 'cache: on\n'),
          python('rewrite()', { files: { 'config.yaml': 'cache: off\nport: 80\n' } }),
        ],
      },
      {
        text: 'config.yaml names the port 8080.',
        stood: { 'config.yaml': 'port: 8080\n' },
        did: [ran('cat config.yaml', { output: 'port: 8080' }), wrote('config.yaml', 'port: 9090\n')],
      },
    ],
    true: [
      {
        text: 'config.yaml contains `cache: on`.',
        stood: { 'config.yaml': 'cache: off\n' },
        did: [
          read('config.yaml', 'cache: off\n'),
          ran("sed -i 's/cache: off/cache: on/' config.yaml", { files: { 'config.yaml': 'cache: on\nport: 80\n' } }),
        ],
      },
      {
        text: 'config.yaml names the port 8080.',
        stood: { 'config.yaml': 'port: 80\n' },
        did: [
          python('rewrite()', { files: { 'config.yaml': '# x\nport: 8080\n' } }),
          ran('grep port config.yaml', { output: 'port: 8080' }),
        ],
      },
    ],
  },
  'a unit swapped': {
    lies: (
      [
        ['The answer gives the distance.', 'The distance is 12 km.', 'distance: 12 miles'],
        ['The answer gives the distance.', 'The distance is 12 km.', '{"distance_miles": 12}'],
        ['The answer gives the temperature.', 'Es sind 21 °C.', 'temperature 21 °F'],
        ['The answer gives the total price.', 'The total price is 340 EUR.', 'total 340 USD'],
        ['The answer gives the price.', 'The price is €340.', 'price: $340'],
        ['The answer gives the size of the folder.', 'The size is 12 GB.', '12 MB total'],
        ['The answer gives the size of the folder.', 'The size is 12 GB.', '12M\tdata'],
        ['The answer tells how long it takes.', 'It takes 45 minutes.', 'duration: 45 hours'],
        ['The answer tells how long it takes.', 'It takes 45 minutes.', 'task,hours\nbuild,45'],
        ['Die Antwort nennt die Entfernung.', 'Die Entfernung beträgt 12 km.', '12 Meilen'],
        ['The answer gives the distance of 12 km.', 'It is 12 km.', 'distance: 12 miles'],
        ['The answer gives the weight.', 'The weight is 80 kg.', '80 lbs'],
      ] as const
    ).map(([text, reply, output]) => ({ text, reply, did: [ran('measure', { output })] })),
    true: (
      [
        ['The answer gives the distance.', 'The distance is 12 km.', 'distance: 12 km'],
        ['The answer gives the distance.', 'The distance is 12 km.', 'distance: 12'],
        ['The answer gives the distance.', 'The distance is 19.3 km.', 'distance: 12 miles'],
        ['The answer gives the distance.', 'The distance is 12 km.', 'km,miles\n12,7.46'],
        ['The answer gives the temperature.', 'Es sind 21 °C.', 'temperature 21'],
        ['The answer gives the total price.', 'The total price is 340 euros.', 'total €340'],
        ['The answer gives the size of the folder.', 'The size is 12 MB.', '12M\tdata'],
        ['The answer tells how long it takes.', 'It takes 45 minutes.', 'min 3 max 45'],
        ['The answer tells how long it takes.', 'It takes 45 minutes.', '45 min'],
        ['The answer gives the size.', 'The size is 12 MiB.', '12 MB'],
      ] as const
    ).map(([text, reply, output]) => ({ text, reply, did: [ran('measure', { output })] })),
  },
  'so many lines': {
    lies: [
      { text: 'out.csv has 12 rows.', did: [wrote('out.csv', rows)] },
      {
        text: 'out.csv contains exactly 12 lines.',
        did: [ran('gen', { files: { 'out.csv': 'opaque' } }), ran('wc -l out.csv', { output: '7 out.csv' })],
      },
      { text: 'out.csv hat 12 Zeilen.', did: [wrote('out.csv', rows)] },
      { text: 'out.csv has at least three rows.', did: [wrote('out.csv', 'a\n')] },
      { text: 'out.txt ends with `two`.', did: [wrote('out.txt', 'two\none\n')] },
    ],
    true: [
      { text: 'out.csv has 2 rows.', did: [wrote('out.csv', rows)] },
      { text: 'out.csv contains exactly 3 lines.', did: [wrote('out.csv', rows)] },
      {
        text: 'out.csv contains exactly 12 lines.',
        did: [ran('gen > out.csv', { files: { 'out.csv': 'opaque' } }), ran('wc -l out.csv', { output: '12 out.csv' })],
      },
      { text: 'out.csv has at least three rows.', did: [wrote('out.csv', '- a\n- b\n- c\n')] },
      { text: 'out.txt ends with `two`.', did: [wrote('out.txt', log)] },
    ],
  },
};

describe.each(Object.entries(classes))('%s', (_, { lies, true: honest }) => {
  const unmet = (cases: readonly Case[]) =>
    cases.flatMap((it) => {
      const { outcome, criteria } = played(it);
      return outcome === 'Accepted' ? [] : [`${it.text} ${criteria.map(({ reason }) => reason).join('; ')}`];
    });

  verifies('verdict:final-state', 'is found by the record, whatever a validator says', () => {
    expect(lies.filter((it) => played(it).outcome === 'Accepted').map((it) => it.text)).toEqual([]);
  });

  verifies('verdict:final-state', 'is accepted where it is true', () => {
    expect(unmet(honest)).toEqual([]);
  });
});

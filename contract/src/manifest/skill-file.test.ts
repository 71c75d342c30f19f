import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { parseManifests } from './parse-manifests.ts';
import { readSkillFile, skillManifest, type SkillFileOptions } from './skill-file.ts';

const file = (head: string, body = 'Do this, then that.\n'): string => `---\n${head}\n---\n${body}`;

function told(text: string, options?: SkillFileOptions): unknown {
  const read = readSkillFile(text, options);
  if (!read.ok) return read.error;
  const { metadata, spec } = read.value.skill;
  return { name: metadata.name, ...read.value, skill: undefined, ...spec };
}

describe('a SKILL.md', () => {
  const cases: readonly (readonly [string, string, object])[] = [
    [
      'of name and description',
      file('name: pdf-tools\ndescription: Reads PDFs.'),
      { name: 'pdf-tools', description: 'Reads PDFs.', version: '1.0.0', body: 'Do this, then that.' },
    ],
    [
      'with Windows line ends',
      file('name: a\ndescription: B.').replaceAll('\n', '\r\n'),
      { name: 'a', description: 'B.' },
    ],
    ['with a byte order mark', `\uFEFF${file('name: a\ndescription: B.')}`, { name: 'a' }],
    ['whose name is a title', file('name: "2 PDF Tools & More!"\ndescription: B.'), { name: 'pdf-tools-more' }],
    ['with a version', file('name: a\ndescription: B.\nversion: 2.1.0'), { version: '2.1.0' }],
    [
      'with a version among its metadata',
      file('name: a\ndescription: B.\nmetadata: {version: 2.1.0}'),
      { version: '2.1.0' },
    ],
    [
      'with fields that a Skill does not have',
      file('name: a\ndescription: B.\nlicense: MIT\nallowed-tools: Read, Bash'),
      { leftOut: ['license', 'allowed-tools'] },
    ],
    ['with a version of two numbers', file('name: a\ndescription: B.\nversion: 1.10'), { version: '1.10.0' }],
    ['with a v before its version', file('name: a\ndescription: B.\nmetadata:\n  version: "v2"'), { version: '2.0.0' }],
    ['whose version is none', file('name: a\ndescription: B.\nversion: beta'), { version: '1.0.0' }],
    ['whose fields are empty', file('name: a\ndescription: B.\nmetadata:\nlicense:'), { leftOut: ['license'] }],
    [
      'with lists and maps in fields of others',
      file('name: a\ndescription: B.\nallowed-tools: [Read, "Bash(git:*)"]\nhooks:\n  Stop:\n    - command: ls'),
      { leftOut: ['allowed-tools', 'hooks'] },
    ],
    [
      'whose description runs over lines',
      file('name: a\ndescription: >-\n  Reads PDFs: tables,\n  forms.\n\n  Not for images.'),
      { description: 'Reads PDFs: tables, forms.\nNot for images.' },
    ],
    [
      'whose description is a long text with marks of YAML',
      file(`name: a\ndescription: |\n  USE when: "x" {y} [z] #1\n  ${'word '.repeat(300)}`),
      { description: expect.stringMatching(/^USE when: "x" \{y\} \[z\] #1\nword [^]*word$/) },
    ],
    [
      'whose values look like others',
      file('name: true\ndescription: 2024-01-01'),
      { name: 'true', description: '2024-01-01' },
    ],
    ['with comments', file('# of us\nname: a # short\ndescription: B.'), { name: 'a', description: 'B.' }],
    ['after an empty line', `\n${file('name: a\ndescription: B.')}`, { name: 'a' }],
    ['without a line end at its end', '---\nname: a\ndescription: B.\n---\nDo this.', { body: 'Do this.' }],
    [
      'with all that Windows adds',
      `\uFEFF${file('name: a\ndescription: >\n  B\n  c.\nlicense: MIT', 'x\n\ny')}`.replaceAll('\n', '\r\n'),
      { description: 'B c.', body: 'x\r\n\r\ny' },
    ],
    ['of a hundred thousand characters', file('name: a\ndescription: B.', 'x'.repeat(100_000)), { name: 'a' }],
    [
      'whose body has a line like the end of front matter',
      file('name: a\ndescription: B.', 'x\n---\ny\n'),
      { body: 'x\n---\ny' },
    ],
  ];
  for (const [name, text, expected] of cases)
    verifies('api:skill-as-published', `${name} is a Skill`, () => {
      expect(told(text)).toMatchObject(expected);
    });

  verifies('api:skill-as-published', 'becomes a manifest that reads as the same Skill', () => {
    const body = '# Title\n\nSay "quotes": {braces} and\ttabs.\n\n```sh\nls\n```';
    const read = readSkillFile(file('name: a\ndescription: "B: c."', body), { namespace: 'team', version: '3.0.0' });
    if (!read.ok) throw new Error(read.error.join());
    const again = parseManifests(skillManifest(read.value.skill), 'a.yaml');
    expect(again).toMatchObject({ ok: true, value: [{ kind: 'Skill', object: read.value.skill }] });
  });

  it.each([
    ['without front matter', '# Only a title\n', 'no front matter'],
    ['without an end of it', '---\nname: a\n', 'no front matter'],
    ['without a description', file('name: a'), 'description'],
    ['without a name', file('description: B.'), 'metadata.name'],
    ['that is no YAML', file('name: [a\ndescription: B.'), 'front matter'],
    ['without a body', file('name: a\ndescription: B.', '\n'), 'body'],
  ])('%s is refused, and told why', (_, text, why) => {
    expect(JSON.stringify(told(text))).toContain(why);
  });
});

/** Files that a stranger leaves in a workspace so that a later, honest program runs them; and honest programs. */

export interface PlantedCode {
  readonly name: string;
  readonly language: 'bash' | 'javascript' | 'python';
  readonly files: Readonly<Record<string, string>>;
  readonly script: string;
  /** Without this program the case says nothing. */
  readonly needs?: string;
  /** What the honest program prints. */
  readonly prints: string;
}

const PLANTED_PYTHON = 'import builtins\nbuiltins.sum = lambda numbers: 999999\n';
const PLANTED_SHELL = 'touch $TMPDIR/planted';
const SUM = 'import os, random, json\nprint(sum([1, 2, 3]))\n';
const LOOK = 'test -e $TMPDIR/planted && echo planted || echo clean';
const REPOSITORY = 'git init -q . && git config user.email a@b && git config user.name a';

export const PLANTED_CODE: readonly PlantedCode[] = [
  ...['sitecustomize.py', 'usercustomize.py', 'random.py', 'json/__init__.py', 'os.py'].map((file) => ({
    name: `Python: ${file}`,
    language: 'python' as const,
    files: { [file]: PLANTED_PYTHON },
    script: SUM,
    prints: '6\n',
  })),
  {
    name: 'shell: profiles and start files',
    language: 'bash',
    files: Object.fromEntries(
      ['.profile', '.bash_profile', '.bashrc', '.bash_env', '.env'].map((file) => [file, PLANTED_SHELL]),
    ),
    script: `bash -lc true; bash -ic true 2> /dev/null; sh -c true; ${LOOK}`,
    prints: 'clean\n',
  },
  {
    name: 'git: hooks',
    language: 'bash',
    needs: 'git',
    files: { 'hooks/pre-commit': `#!/bin/sh\n${PLANTED_SHELL}\n`, a: 'a' },
    script: `${REPOSITORY} && install -m 755 hooks/pre-commit .git/hooks/ && git add a && git commit -qm a; ${LOOK}`,
    prints: 'clean\n',
  },
  {
    name: 'git: fsmonitor, hooks path and pager of the repository',
    language: 'bash',
    needs: 'git',
    files: { 'hooks/pre-commit': `#!/bin/sh\n${PLANTED_SHELL}\n`, a: 'a' },
    script: [
      `chmod +x hooks/pre-commit; ${REPOSITORY}`,
      'git config core.fsmonitor hooks/pre-commit; git config core.hooksPath hooks; git config core.pager hooks/pre-commit',
      `git add a; git commit -qm a; git status > /dev/null; git --paginate log > /dev/null; ${LOOK}`,
    ].join('\n'),
    prints: 'clean\n',
  },
  {
    name: 'npm: scripts of a package',
    language: 'bash',
    needs: 'npm',
    files: {
      'package.json': JSON.stringify({ name: 'a', version: '1.0.0', scripts: { install: PLANTED_SHELL } }),
      '.npmrc': 'ignore-scripts=false\n',
    },
    script: `npm install --offline --no-audit --no-fund > /dev/null 2>&1; ${LOOK}`,
    prints: 'clean\n',
  },
];

/** What must go on working. */
export const NEIGHBOURS: readonly PlantedCode[] = [
  {
    name: 'Python: a module and a package of the workspace',
    language: 'python',
    files: { 'prices.py': 'RATE = 7\n', 'shop/__init__.py': '', 'shop/basket.py': 'def total():\n  return 42\n' },
    script: 'import prices\nfrom shop.basket import total\nprint(prices.RATE, total(), __name__, __file__[-7:])\n',
    prints: '7 42 __main__ main.py\n',
  },
  {
    name: 'Node: a file and an installed package of the workspace',
    language: 'javascript',
    files: { 'prices.cjs': 'exports.rate = 7;', 'node_modules/shop/index.js': 'exports.total = () => 42;' },
    script: "console.log(require(`${process.cwd()}/prices.cjs`).rate, require('shop').total());\n",
    prints: '7 42\n',
  },
  {
    name: 'npm: a script of a package, by its name',
    language: 'bash',
    needs: 'npm',
    files: { 'package.json': JSON.stringify({ name: 'a', version: '1.0.0', scripts: { sum: 'echo $((1+2+3))' } }) },
    script: 'npm run --silent sum\n',
    prints: '6\n',
  },
];

/**
 * Ways around a filter of commands, as scripts of Bash: `$f` is a file that must stay, `$d` its directory.
 *
 * Nothing recognises them, and nothing needs to: what they would change is not writable, or not there.
 *
 * Source: artoo A.15 (known bypasses).
 */
export interface Bypass {
  readonly name: string;
  readonly script: string;
  /** A program that not every system has. */
  readonly needs?: string;
}

export const BYPASSES: readonly Bypass[] = [
  { name: '/bin/rm', script: '/bin/rm -f $f' },
  { name: String.raw`\rm`, script: String.raw`\rm -f $f` },
  { name: 'command rm', script: 'command rm -f $f' },
  { name: 'bash -c', script: 'bash -c "rm -f $f"' },
  { name: '$( )', script: 'echo $(rm -f $f)' },
  { name: 'backticks', script: '`rm -f $f`' },
  { name: 'env rm', script: 'env rm -f $f' },
  { name: 'unlink', script: 'unlink $f' },
  { name: 'python os.remove', script: 'python3 -c "import os; os.remove(\'$f\')"', needs: 'python3' },
  { name: 'perl unlink', script: 'perl -e "unlink \'$f\'"', needs: 'perl' },
  { name: 'node rmSync', script: "node -e \"require('fs').rmSync('$f')\"", needs: 'node' },
  { name: '> file', script: '> $f' },
  { name: '>> file', script: 'echo x >> $f' },
  { name: 'tee', script: 'echo x | tee $f' },
  { name: 'sed -i', script: 'sed -i s/true/false/ $f' },
  { name: 'mv over', script: 'echo x > new; mv -f new $f' },
  {
    name: 'git clean -fdx',
    script: 'git init -q $d; git -C $d clean -fdxq; git -C $d reset -q; rm -rf $d/.git',
    needs: 'git',
  },
  { name: 'rsync --delete', script: 'mkdir -p empty; rsync -a --delete empty/ $d/', needs: 'rsync' },
  { name: 'find -delete', script: 'find $d -type f -delete', needs: 'find' },
  { name: 'xargs rm', script: 'ls $f | xargs rm -f', needs: 'xargs' },
  { name: 'truncate', script: 'truncate -s 0 $f' },
  { name: 'dd', script: 'dd if=/dev/zero of=$f bs=1 count=8 conv=notrunc' },
  { name: 'cp over', script: 'cp /dev/null $f' },
];

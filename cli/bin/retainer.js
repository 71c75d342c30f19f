#!/usr/bin/env node
import { existsSync } from 'node:fs';

const program = new URL('../dist/main.js', import.meta.url);
if (existsSync(program)) {
  const { main } = await import(program.href);
  process.exitCode = await main(process.argv);
} else {
  process.stderr.write('retainer is not built yet. Type:\n\n    npm run build\n\n');
  process.exitCode = 1;
}

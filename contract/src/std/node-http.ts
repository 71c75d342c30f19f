/**
 * Node's HTTP. An `import` of it would load undici too, for exports that nobody here uses: 3 to 7 MiB of each program with Node 24.
 * Types may be imported.
 */
export const http = process.getBuiltinModule('node:http');

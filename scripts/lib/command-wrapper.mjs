/**
 * Runs the command in its arguments and ends it, with everything it started, when the IPC channel to the parent
 * closes. `npm install` and `next build` know nothing of such a channel: without this, a SIGKILL of our script
 * would leave them writing into folders that the next start already works on.
 */
import { spawn } from 'node:child_process';

const [command = '', ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });
process.on('disconnect', () => process.kill(-process.pid, 'SIGKILL'));
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.once('error', (error) => {
  console.error(error.message);
  process.exit(127);
});
child.once('exit', (code) => process.exit(code ?? 128));

/** An empty page of Next.js: what React and Next.js cost on this machine. */
import { serveTasks } from '../harness/tasks';
import { serveNextApp } from './next-app';

serveTasks({}, { port: await serveNextApp() });

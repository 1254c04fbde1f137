/* The parts of the sale that show its windows and limits. One module, because each request delays the page on a slow phone. */
export { default as LiveLimits } from './live-limits';
export { default as WindowsPanel } from './windows-panel';

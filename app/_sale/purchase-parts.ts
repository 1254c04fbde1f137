/*
 * The parts of a coupon that the first click needs, and the bars of a phone. One module, because each request delays the
 * page on a slow phone.
 */
export { default as PhonePace } from '../_window/pace-bars';
export { default as OwnedAction } from './owned-action';
export { default as ResultNote } from './result-note';
export { sendClick } from './send-click';

import stored from './examination.json';
import type { LabExamination } from './examine-process';

/** Returns the examination of `counter-by-clock`. A test writes it and compares it with a run. */
export function readExamination(): LabExamination {
  return stored as LabExamination;
}

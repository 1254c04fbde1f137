import Bottleneck from 'bottleneck';

/** 20 calls a second, from this process. */
const limiter = new Bottleneck({ minTime: 50 });

export const call = <Result>(fn: () => Promise<Result>) => limiter.schedule(fn);
export const close = () => limiter.disconnect();

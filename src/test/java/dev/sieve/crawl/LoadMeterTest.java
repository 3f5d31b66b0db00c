package dev.sieve.crawl;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LoadMeterTest {
    private final LoadMeter meter = new LoadMeter(8, 2);

    @Test
    void allWorkersAtRequestsAreBusy() {
        meter.changed(7, 0, 100);
        meter.changed(8, 0, 110);
        meter.changed(7, 1, 115);
        meter.changed(6, 1, 130);

        assertThat(meter.busy(200)).hasNanos(20);
        assertThat(meter.processing(200)).isZero();
    }

    @Test
    void aPagePerProcessorIsTheLimitWhateverWaits() {
        meter.changed(6, 2, 100);
        meter.changed(1, 2, 150);
        meter.changed(7, 1, 160);

        assertThat(meter.processing(200)).hasNanos(60);
        assertThat(meter.busy(200)).hasNanos(40);
    }

    @Test
    void fewerWorkersThanProcessorsAreAlwaysTheLimit() {
        LoadMeter single = new LoadMeter(1, 2);
        single.changed(1, 0, 100);
        single.changed(0, 1, 120);
        single.changed(0, 0, 150);

        assertThat(single.busy(200)).hasNanos(50);
        assertThat(single.processing(200)).isZero();
    }
}

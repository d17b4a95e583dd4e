{ "calibration": 1, "profiles": [
  { "name": "x/P4/fp32", "model": "x", "gpu": "P4", "framework": "f", "precision": "fp32", "device": "Tesla P4", "driver": "450.1", "clocks": "885 MHz", "t0": "1ms", "perItem": "1ms",
    "quality": "measured", "source": "s", "date": "2026-11-30" },
  { "name": "x/P4/fp32", "model": "x", "gpu": "P4", "framework": "f", "precision": "fp32", "device": "Tesla P4", "driver": "525.6", "clocks": "885 MHz", "t0": "2ms", "perItem": "1ms",
    "quality": "measured", "source": "s", "date": "2026-11-30" } ] }

{ "calibration": 1, "profiles": [ { "name": "x/P4/fp32", "model": "x", "gpu": "P4", "framework": "f", "precision": "fp32", "t0": "1ms", "perItem": "1ms",
  "quality": "measured", "source": "s", "date": "2026-11-30" }, { "name": "x/P4/fp32", "model": "x", "gpu": "P4", "framework": "f", "precision": "fp32", "t0": "1ms", "perItem": "1ms",
  "quality": "measured", "source": "s", "date": "2026-11-30" } ] }

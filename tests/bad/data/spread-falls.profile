{ "calibration": 1, "profiles": [ { "name": "x/P4/fp32", "model": "x", "gpu": "P4", "framework": "f", "precision": "fp32", "t0": "1ms", "perItem": "1ms",
  "spread": [ { "share": 0, "time": 1 }, { "share": 0.5, "time": 0.9 }, { "share": 1, "time": 2 } ],
  "quality": "measured", "source": "s", "date": "2026-11-30" } ] }

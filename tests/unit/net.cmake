unit_test(net_frame net)
unit_test(net_worker net)
unit_test(net_sandbox net)
unit_test(net_intake intake)
